"""Messages that came while their chat was busy, of which one waits for each session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

_MOMENT = 0.35
_LONGEST = 1.0


class Joined:
    """Texts of one user that follow each other closely, as one message.

    Args:
        event: The first one.
        flush: Called when nothing followed for a moment.

    Attributes:
        event: The message.
        timer: Waits for that moment.
    """

    def __init__(self, event: Any, flush: Callable[[], None]) -> None:
        self.event = event
        self._flush = flush
        self._began = time.monotonic()
        self.timer = self._waiting()

    def _waiting(self) -> asyncio.TimerHandle:
        left = self._began + _LONGEST - time.monotonic()
        return asyncio.get_running_loop().call_later(max(0.0, min(_MOMENT, left)), self._flush)

    def add(self, event: Any) -> bool:
        """Add a text, unless it is another user's; tell whether it was added."""
        if _user(event) is None or _user(event) != _user(self.event):
            return False
        self.event.text = "\n".join(filter(None, [self.event.text, event.text]))
        self.event.message_id = event.message_id or self.event.message_id
        self.event.reply_to_message_id = event.message_id or event.reply_to_message_id or self.event.reply_to_message_id
        self.timer.cancel()
        self.timer = self._waiting()
        return True


def _user(event: Any) -> str | None:
    found = getattr(event.source, "user_id_alt", None) or event.source.user_id
    return str(found) if found else event.source.chat_id if event.source.chat_type == "dm" else None


def keep(waiting: dict[str, Any], key: str, event: Any, *, merge_text: bool = False) -> None:
    """Let a message wait; media join the message that waits already, and text does when it may.

    Args:
        waiting: What waits, by the key of the session.
        key: The session.
        event: The message.
        merge_text: Whether text is added to text; otherwise the later one takes the place of the first.
    """
    before = waiting.get(key)
    if before is None or not _joined(before, event, merge_text):
        waiting[key] = event


def _joined(before: Any, event: Any, merge_text: bool) -> bool:
    kind = type(event.message_type)
    if before.media_urls or event.media_urls or before.message_type == event.message_type == kind.PHOTO:
        _join_media(before, event, kind)
    elif merge_text and before.message_type == event.message_type == kind.TEXT:
        before.text = "\n".join(filter(None, [before.text, event.text]))
    else:
        return False
    return True


def _join_media(before: Any, event: Any, kind: Any) -> None:
    before.media_urls.extend(event.media_urls)
    before.media_types.extend(event.media_types)
    if event.text:
        before.text = merged_caption(before.text, event.text)
    if kind.PHOTO in (before.message_type, event.message_type):
        before.message_type = kind.PHOTO
    elif before.message_type == kind.TEXT:
        before.message_type = event.message_type


def merged_caption(before: str | None, text: str) -> str:
    """Two captions as one; what was said already is not said again."""
    if not before:
        return text
    known = [one.strip() for one in before.split("\n\n")]
    return before if text.strip() in known else f"{before}\n\n{text}".strip()
