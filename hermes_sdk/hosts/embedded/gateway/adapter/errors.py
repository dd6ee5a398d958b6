"""The kinds of send errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TOO_LONG = ("message_too_long", "too long")
_FORBIDDEN = (
    "forbidden",
    "bot was blocked",
    "blocked by the user",
    "user is deactivated",
    "not enough rights",
    "have no rights",
    "not a member",
)
_LIMITED = ("flood", "too many requests", "retry after", "rate limit")
_BAD_FORMAT = ("can't parse entities", "cant parse entities", "can't find end", "unsupported start tag")


class SendErrors:
    """Classifies errors by their texts, with the constants of the release's ``gateway.platforms.base``."""

    def __init__(self, constants: Mapping[str, Any]) -> None:
        self._network = tuple(constants["_RETRYABLE_ERROR_PATTERNS"])
        self._chat = tuple(constants["_CHAT_LEVEL_NOT_FOUND_SUBSTRINGS"])
        self._within_chat = tuple(constants["_SUBCHAT_NOT_FOUND_SUBSTRINGS"])

    def is_network_error(self, error: str | None) -> bool:
        """Return whether the network failed, so that a retry may help."""
        return _contains(error or "", self._network)

    def is_missing_chat(self, exc: BaseException | None = None, error_text: str = "") -> bool:
        """Return whether there is no such chat, rather than no such message in it."""
        text = _text(exc, error_text)
        return _contains(text, self._chat) and not _contains(text, self._within_chat)

    def classify(self, exc: BaseException | None, error_text: str = "") -> str:
        """Return the kind of an error for ``SendResult.error_kind``."""
        text = _text(exc, error_text)
        parse_error = ("entity" in text and "parse" in text) or ("bad request" in text and "entit" in text)
        kinds = (
            ("too_long", _contains(text, _TOO_LONG)),
            ("bad_format", _contains(text, _BAD_FORMAT) or parse_error),
            ("forbidden", _contains(text, _FORBIDDEN)),
            ("not_found", _contains(text, (*self._chat, *self._within_chat))),
            ("rate_limited", _contains(text, _LIMITED)),
            ("transient", _contains(text, (*self._network, "connecttimeout"))),
        )
        return next((name for name, holds in kinds if holds), "unknown")


def _contains(text: str, parts: tuple[str, ...]) -> bool:
    return any(part in text.lower() for part in parts)


def _text(exc: BaseException | None, error_text: str) -> str:
    raised = (str(exc), type(exc).__name__) if exc is not None else ()
    return " ".join(filter(None, (error_text, *raised))).lower()
