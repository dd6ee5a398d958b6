"""Messages that arrive during a turn of their chat."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

_log = logging.getLogger("gateway.run")

_DEBOUNCE_SECONDS = 0.35
_LONGEST_DEBOUNCE = 1.0
_MOST_PENDING = 32


class TextDebounce:
    """Merges consecutive texts of one user into the first; calls `flush` if no other text follows in time."""

    def __init__(self, event: Any, flush: Callable[[], None]) -> None:
        self.event = event
        self._flush = flush
        self._began = time.monotonic()
        self.timer = self._start_timer()

    def _start_timer(self) -> asyncio.TimerHandle:
        left = self._began + _LONGEST_DEBOUNCE - time.monotonic()
        return asyncio.get_running_loop().call_later(max(0.0, min(_DEBOUNCE_SECONDS, left)), self._flush)

    def add(self, event: Any) -> bool:
        """Add a text unless it is another user's; return whether it was added."""
        if _identify_user(event) is None or _identify_user(event) != _identify_user(self.event):
            return False
        self.event.text = "\n".join(filter(None, [self.event.text, event.text]))
        self.event.message_id = event.message_id or self.event.message_id
        self.event.reply_to_message_id = event.message_id or event.reply_to_message_id or self.event.reply_to_message_id
        self.timer.cancel()
        self.timer = self._start_timer()
        return True


def _identify_user(event: Any) -> str | None:
    found = getattr(event.source, "user_id_alt", None) or event.source.user_id
    return str(found) if found else event.source.chat_id if event.source.chat_type == "dm" else None


class MessageQueue:
    """Pending messages of each chat; the adapter stores the first message, the queue the others."""

    def __init__(self) -> None:
        self._following: dict[str, list[Any]] = {}

    def add(self, key: str, event: Any, adapter: Any) -> int:
        """Append a message; return the number of pending messages."""
        if adapter is None:
            return 0
        if key in adapter._pending_messages:
            self._following.setdefault(key, []).append(event)
        else:
            adapter._pending_messages[key] = event
        return self._count_pending(key, adapter)

    def _count_pending(self, key: str, adapter: Any) -> int:
        return len(self._following.get(key, ())) + (key in adapter._pending_messages)

    def merge(self, key: str, event: Any, adapter: Any) -> None:
        """Merge media into the pending message; append anything else, up to a limit."""
        first = adapter._pending_messages.get(key)
        if first is not None and (first.media_urls or event.media_urls):
            merge_pending(adapter._pending_messages, key, event, merge_text=True)
        elif self._count_pending(key, adapter) >= _MOST_PENDING:
            _log.warning("Dropping busy-mode follow-up for session %s — pending queue at cap (%d).", key, _MOST_PENDING)
        else:
            self.add(key, event, adapter)

    def take(self, key: str, adapter: Any) -> Any:
        """Remove and return the next message, or None."""
        first = adapter.get_pending_message(key)
        behind = self._following.get(key)
        if behind:
            following = behind.pop(0)
            if not behind:
                del self._following[key]
            if first is None:
                return following
            adapter._pending_messages[key] = following
        return first


def merge_pending(waiting: dict[str, Any], key: str, event: Any, *, merge_text: bool = False) -> None:
    """Merge a message into the pending one of its session, or replace it; texts merge only with `merge_text`."""
    before = waiting.get(key)
    if before is None or not _merge(before, event, merge_text):
        waiting[key] = event


def _merge(before: Any, event: Any, merge_text: bool) -> bool:
    kind = type(event.message_type)
    if before.media_urls or event.media_urls or before.message_type == event.message_type == kind.PHOTO:
        _merge_media(before, event, kind)
    elif merge_text and before.message_type == event.message_type == kind.TEXT:
        before.text = "\n".join(filter(None, [before.text, event.text]))
    else:
        return False
    return True


def _merge_media(before: Any, event: Any, kind: Any) -> None:
    before.media_urls.extend(event.media_urls)
    before.media_types.extend(event.media_types)
    if event.text:
        before.text = merge_captions(before.text, event.text)
    if kind.PHOTO in (before.message_type, event.message_type):
        before.message_type = kind.PHOTO
    elif before.message_type == kind.TEXT:
        before.message_type = event.message_type


def merge_captions(before: str | None, text: str) -> str:
    """Append a caption to an existing caption, unless it is already included."""
    if not before:
        return text
    known = [one.strip() for one in before.split("\n\n")]
    return before if text.strip() in known else f"{before}\n\n{text}".strip()
