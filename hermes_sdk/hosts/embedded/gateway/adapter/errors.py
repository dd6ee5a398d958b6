"""What the error of a send means."""

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
    """Tells errors apart by their texts.

    Args:
        constants: Those of the release's ``gateway.platforms.base``.
    """

    def __init__(self, constants: Mapping[str, Any]) -> None:
        self._network = tuple(constants["_RETRYABLE_ERROR_PATTERNS"])
        self._chat = tuple(constants.get("_CHAT_LEVEL_NOT_FOUND_SUBSTRINGS", ()))
        self._within_chat = tuple(constants.get("_SUBCHAT_NOT_FOUND_SUBSTRINGS", ()))

    def is_of_network(self, error: str | None) -> bool:
        """Tell whether the network failed, so that sending again may help."""
        return _has(error or "", self._network)

    def is_chat_missing(self, exc: BaseException | None = None, error_text: str = "") -> bool:
        """Tell whether there is no such chat, rather than no such message in it."""
        text = _told(exc, error_text)
        return _has(text, self._chat) and not _has(text, self._within_chat)

    def kind(self, exc: BaseException | None, error_text: str = "") -> str:
        """Name the kind of an error, as ``SendResult.error_kind`` has it."""
        text = _told(exc, error_text)
        parse_error = ("entity" in text and "parse" in text) or ("bad request" in text and "entit" in text)
        kinds = (
            ("too_long", _has(text, _TOO_LONG)),
            ("bad_format", _has(text, _BAD_FORMAT) or parse_error),
            ("forbidden", _has(text, _FORBIDDEN)),
            ("not_found", _has(text, (*self._chat, *self._within_chat))),
            ("rate_limited", _has(text, _LIMITED)),
            ("transient", _has(text, (*self._network, "connecttimeout"))),
        )
        return next((name for name, holds in kinds if holds), "unknown")


def _has(text: str, parts: tuple[str, ...]) -> bool:
    return any(part in text.lower() for part in parts)


def _told(exc: BaseException | None, error_text: str) -> str:
    raised = (str(exc), type(exc).__name__) if exc is not None else ()
    return " ".join(filter(None, (error_text, *raised))).lower()
