"""Replies of turns for a chat: provider errors and empty replies become messages for the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hermes_sdk.hosts.embedded.process.environment import is_word_on
from hermes_sdk.hosts.embedded.state import HostState

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime
    from hermes_sdk.hosts.embedded.agent.turn import Turn

_SILENT = frozenset({"[SILENT]", "SILENT", "NO_REPLY", "NO REPLY"})
_LONGEST_MARK = 64
_WAITING = "Operation interrupted:"
_ERROR = (
    r"api\s+(?:call\s+)?failed|provider\s+authentication\s+failed|non-retryable\s+error"
    r"|rate\s+limited\s+after\s+\d+\s+retries|error\s+code\s*:|http\s*\d{3}\b|(?:incorrect|invalid)\s+api\s+key"
)
_NO_CONNECTION = (
    r"(?:\w+\.)?(?:(?:api\s*)?connection|connect)\s*(?:error|timeout)|connection\s+(?:refused|reset|aborted)"
    r"|actively\s+refused|winerror\s+10061|errno\s+111"
)
_NO_ROUTE = (
    r"no\s+route\s+to\s+host|network\s+is\s+unreachable|cannot\s+connect|failed\s+to\s+establish|could\s+not\s+connect"
)
_AUTH = r"provider\s+authentication\s+failed|(?:incorrect|invalid)\s+api\s+key"
_LIMIT = ("rate_limited", r"rate\s+limit|rate-limited|\b429\b|quota|usage\s+limit")
_POLICY = (
    "bad_request",
    r"cybersecurity\s+risk|(?:security|safety)\s+policy|policy\s+violation|violat(?:e|es|ed|ion)|disallowed|moderation"
    r"|blocked\s+(?:because|by|under)|request\s+(?:was\s+)?(?:blocked|rejected)",
)
_CONNECTION = ("connection_unknown", f"{_NO_CONNECTION}|{_NO_ROUTE}")
_INTERRUPTED = (
    "connection_interrupted",
    r"connection\s+(?:reset|aborted)|errno\s+10[34]\b|broken\s+pipe|server\s+disconnected|peer\s+closed\s+connection"
    r"|connection\s+was\s+closed|network\s+connection\s+lost|unexpected\s+eof|incomplete\s+chunked\s+read"
    r"|response\s+ended\s+prematurely|socket\s+hang\s+up|remoteprotocolerror|readerror",
)
_UNREACHABLE = (
    "unreachable",
    rf"connection\s+refused|actively\s+refused|winerror\s+10061\b|errno\s+111\b|connect\s*(?:error|timeout)|{_NO_ROUTE}",
)
_KINDS = (("auth_failed", rf"{_AUTH}|\b401\b"), _POLICY, _LIMIT)
_ADVISED = (
    _LIMIT,
    ("auth_failed", rf"{_AUTH}|(?<![\d:,.])401(?!\d)"),
    _POLICY,
    _INTERRUPTED,
    _UNREACHABLE,
    _CONNECTION,
)
"""Kinds of errors with their patterns, by release; the first match wins, and names a text in `wording.toml`."""
_RESET = re.compile(r"quotaResetDelay|resets?\s+in\s+\d|resets_in_seconds|retry\s+(?:after\s+)?\d", re.IGNORECASE)
_CONTEXT = ("context", "token", "too large", "too long", "exceed", "payload")
_LONGEST_ERROR = 400
_MOST_LINES = 4


_NOISE = (
    r"rate\s+limited\.\s+waiting\s+\d|retrying\s+in\s+\d|max\s+retries\s+\(\d+\).*invalid\s+responses"
    r"|compacting\s+context\s+[—-]\s+summarizing\s+earlier\s+conversation|preflight\s+compression"
)
_NOISE_LATER = rf"{_NOISE}|pre[- ]api\s+compression"
"""Patterns of status texts that chats do not receive during a turn; depends on the release."""
_NOTICES = ("compressed", "compressed_first", "compression_end")
"""Notices about compression that chats receive if ``compression.progress_notices`` is on."""


def format_reply(turn: Turn) -> str:
    """Format the reply of a turn; return an empty string if the chat receives none."""
    if turn.kept_reply and turn.reply == turn.kept_reply:
        return ""
    text = turn.reply or ""
    if is_silence(text) and turn.error is None:
        return ""
    runtime = turn.session.runtime
    return hide_provider_error(_mask(text or _format_failure(turn), runtime), runtime.state)


def _mask(text: str, runtime: Runtime) -> str:
    return runtime.registrations.redaction_patterns.mask(text, always=True)


def is_silence(text: str) -> bool:
    """Return whether a reply is a marker for no reply, such as ``[SILENT]``."""
    stripped = text.strip()
    if not stripped or len(stripped) > _LONGEST_MARK:
        return False
    candidates = (stripped, stripped.strip(".,;:!?*_-\"'()"))
    return any(" ".join(one.upper().split()) in _SILENT for one in candidates)


def _format_failure(turn: Turn) -> str:
    if turn.error is not None:
        if any(part in turn.error.lower() for part in _CONTEXT):
            return turn.session.runtime.state.wording("gateway.errors.context_overflow")
        return f"The request failed: {turn.error[:300]}\nTry again or use /reset to start a fresh session."
    if not turn.interrupted:
        return "⚠️ Processing completed but no response was generated. Send your message again."
    if turn.requests:
        return ""
    return (
        "⚠️ Your message was interrupted before processing started (perhaps by `/stop`). Send it again if you still need"
        " it."
    )


def format_status(text: str, runtime: Runtime) -> str:
    """Format a status text during a turn; return an empty string if the chat does not receive it."""
    if _is_noise(text, runtime.state):
        return ""
    return hide_provider_error(_mask(text, runtime), runtime.state)


def _is_noise(text: str, state: HostState) -> bool:
    optional = state.behaviour.compressions_configured
    noise = _NOISE_LATER if optional else _NOISE
    if state.behaviour.compression_end_kept_from_chats:
        noise += f"|{re.escape(state.wording('status.compression_end'))}"
    if not re.search(noise, text, re.IGNORECASE):
        return False
    texts = (state.wording(f"status.{name}", tokens="0") for name in _NOTICES)
    notices = "|".join(re.escape(text).replace("0", r"[\d,]+") for text in texts)
    section = state.config.read().get("compression")
    wanted = section.get("progress_notices") if isinstance(section, Mapping) else False
    return not (optional and is_word_on(str(wanted)) and re.search(notices, text, re.IGNORECASE))


def hide_provider_error(text: str, state: HostState) -> str:
    """Replace the error of a provider with a message about the kind of failure."""
    behaviour = state.behaviour
    if text.strip().startswith(_WAITING):
        return ""
    marks = f"{_ERROR}|{_NO_CONNECTION}|all\\s+connection\\s+attempts\\s+failed"
    marks = marks if behaviour.missing_connections_told else _ERROR
    begins = re.match(rf"\s*(\W*\s*)?({marks})", text, re.IGNORECASE)
    if len(text) > _LONGEST_ERROR or text.count("\n") > _MOST_LINES or not begins:
        return text
    kinds: tuple[tuple[str, str], ...] = (*_KINDS, _CONNECTION) if behaviour.missing_connections_told else _KINDS
    kinds = _ADVISED if behaviour.provider_errors_advise else kinds
    found = (name for name, pattern in kinds if re.search(pattern, text, re.IGNORECASE))
    kind = next(found, "provider_kept_failing")
    if behaviour.provider_errors_advise and kind == "rate_limited" and _RESET.search(text):
        raise state.unsupported("tell a chat when the provider accepts requests again")
    return state.wording(f"gateway.errors.{kind}")
