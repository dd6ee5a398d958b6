"""Stands in for ``gateway.platforms.helpers``: what adapters share."""

from __future__ import annotations

import json
import time
from pathlib import Path

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "MessageDeduplicator",
    "TextBatchAggregator",
    "ThreadParticipationTracker",
    "convert_table_to_bullets",
    "is_table_row",
    "redact_phone",
    "split_markdown_table_row",
    "strip_markdown",
]

_SHORT, _LONG = 4, 8
_host = find_plugin_manager(__spec__)
TextBatchAggregator = refused(__spec__, "TextBatchAggregator")
convert_table_to_bullets = refused(__spec__, "convert_table_to_bullets")
is_table_row = refused(__spec__, "is_table_row")
split_markdown_table_row = refused(__spec__, "split_markdown_table_row")
strip_markdown = refused(__spec__, "strip_markdown")


class MessageDeduplicator:
    """Tells which messages a platform delivered before."""

    def __init__(self, max_size: int = 2000, ttl_seconds: float = 300) -> None:
        self._seen: dict[str, float] = {}
        self._max_size = max_size
        self._ttl = ttl_seconds

    def is_duplicate(self, msg_id: str) -> bool:
        """Tell whether a message was seen lately, and remember it."""
        if not msg_id:
            return False
        if self._was_seen(msg_id):
            return True
        now = time.time()
        self._seen.pop(msg_id, None)
        self._seen[msg_id] = now
        if len(self._seen) > self._max_size:
            lately = {one: when for one, when in self._seen.items() if now - when < self._ttl}
            self._seen = dict(sorted(lately.items(), key=lambda item: item[1])[-self._max_size :])
        return False

    def clear(self) -> None:
        """Forget all messages."""
        self._seen.clear()

    def _was_seen(self, msg_id: str) -> bool:
        return msg_id in self._seen and time.time() - self._seen[msg_id] < self._ttl

    def contains(self, msg_id: str) -> bool:
        """Tell whether a message was seen lately."""
        return bool(msg_id) and self._was_seen(msg_id)

    def discard(self, msg_id: str) -> None:
        """Forget a message."""
        self._seen.pop(msg_id, None)


class ThreadParticipationTracker:
    """Remembers in the home in which threads of a platform the agent takes part."""

    def __init__(self, platform_name: str, max_tracked: int = 500) -> None:
        self._platform = platform_name
        self._max_tracked = max_tracked
        self._threads: dict[str, None] = dict.fromkeys(self._read())

    def mark(self, thread_id: str) -> None:
        """Remember a thread."""
        if thread_id in self._threads:
            return
        self._threads[thread_id] = None
        kept = list(self._threads)[-self._max_tracked :]
        self._threads = dict.fromkeys(kept)
        self._path().write_text(json.dumps(kept), encoding="utf-8")

    def __contains__(self, thread_id: str) -> bool:
        """Tell whether a thread is remembered."""
        return thread_id in self._threads

    def clear(self) -> None:
        """Forget all threads."""
        self._threads.clear()

    def _path(self) -> Path:
        return _host.state.home_path() / f"{self._platform}_threads.json"

    def _read(self) -> list[str]:
        try:
            found = json.loads(self._path().read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return [str(one) for one in found] if isinstance(found, list) else []


def redact_phone(phone: str) -> str:
    """Hide the middle of a telephone number."""
    if not phone:
        return "<none>"
    if len(phone) <= _SHORT:
        return "****"
    shown = 2 if len(phone) <= _LONG else 4
    return f"{phone[:shown]}****{phone[-shown:]}"
