"""Replies of turns as a chat shows them: provider errors and empty replies become messages for the user."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hermes_sdk.contract import Behaviour

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.turn import Turn

_SILENT = frozenset({"[SILENT]", "SILENT", "NO_REPLY", "NO REPLY"})
_LONGEST_MARK = 64
_WAITING = "Operation interrupted:"
_ERROR = re.compile(
    r"^\s*(\W*\s*)?(api\s+(?:call\s+)?failed|provider\s+authentication\s+failed|non-retryable\s+error"
    r"|rate\s+limited\s+after\s+\d+\s+retries|error\s+code\s*:|http\s*\d{3}\b|(?:incorrect|invalid)\s+api\s+key)",
    re.IGNORECASE,
)
_KINDS = (
    (
        r"provider\s+authentication\s+failed|incorrect\s+api\s+key|invalid\s+api\s+key|\b401\b",
        "⚠️ Provider authentication failed. Check the configured credentials; raw provider details are in the gateway"
        " logs.",
    ),
    (
        r"cybersecurity\s+risk|(?:security|safety)\s+policy|policy\s+violation|violat(?:e|es|ed|ion)|disallowed|moderation"
        r"|blocked\s+(?:because|by|under)|request\s+(?:was\s+)?(?:blocked|rejected)",
        "⚠️ The model provider rejected the request. I kept the raw provider error out of chat; check gateway logs for"
        " details or try rephrasing.",
    ),
    (
        r"rate\s+limit|rate-limited|\b429\b|quota|usage\s+limit",
        "⏱️ The model provider is rate-limiting requests. Please wait a moment and try again.",
    ),
)
_FAILED = (
    "⚠️ The model provider failed after retries. I kept raw provider details out of chat; check gateway logs for"
    " diagnostics."
)
_TOO_LARGE = (
    "⚠️ Session too large for the model's context window.\nUse /compact to compress the conversation, or /reset to start"
    " fresh."
)
_CONTEXT = ("context", "token", "too large", "too long", "exceed", "payload")
_LONGEST_ERROR = 400
_MOST_LINES = 4


_NOISE = re.compile(
    r"rate\s+limited\.\s+waiting\s+\d|retrying\s+in\s+\d|max\s+retries\s+\(\d+\).*invalid\s+responses", re.IGNORECASE
)
"""What a chat is not told while a turn runs."""


def format_reply(turn: Turn) -> str:
    """Format the reply of a turn; empty if the chat gets none."""
    if turn.kept_reply and turn.reply == turn.kept_reply:
        return ""
    text = turn.reply or ""
    if is_silence(text) and turn.error is None:
        return ""
    return hide_provider_error(text or _format_failure(turn), turn.session.behaviour)


def is_silence(text: str) -> bool:
    """Tell whether a reply is a marker for no reply, such as ``[SILENT]``."""
    said = text.strip()
    if not said or len(said) > _LONGEST_MARK:
        return False
    candidates = (said, said.strip(".,;:!?*_-\"'()"))
    return any(" ".join(one.upper().split()) in _SILENT for one in candidates)


def _format_failure(turn: Turn) -> str:
    if turn.error is not None:
        if any(part in turn.error.lower() for part in _CONTEXT):
            return _TOO_LARGE
        return f"The request failed: {turn.error[:300]}\nTry again or use /reset to start a fresh session."
    if not turn.interrupted:
        return (
            "⚠️ Processing completed but no response was generated. This may be a transient error — try sending your"
            " message again."
        )
    if turn.requests:
        return ""
    return "⚠️ Your message was interrupted before processing started (likely by a recent /stop). Please send it again."


def format_status(text: str, behaviour: Behaviour) -> str:
    """Format what a chat is told while a turn runs; empty if it is not told."""
    if behaviour.provider_errors_kept_from_chats and _NOISE.search(text):
        return ""
    return hide_provider_error(text, behaviour)


def hide_provider_error(text: str, behaviour: Behaviour) -> str:
    """Replace the error of a provider with a message about the kind of failure, on releases that do."""
    if not behaviour.provider_errors_kept_from_chats:
        return text
    if text.strip().startswith(_WAITING):
        return ""
    if len(text) > _LONGEST_ERROR or text.count("\n") > _MOST_LINES or not _ERROR.search(text):
        return text
    return next((reply for pattern, reply in _KINDS if re.search(pattern, text, re.IGNORECASE)), _FAILED)
