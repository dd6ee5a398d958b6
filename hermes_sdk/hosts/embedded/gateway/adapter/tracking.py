"""Memory of adapters: received messages, and threads in which the agent takes part."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from hermes_sdk.hosts.embedded.host_classes import of_module


@of_module("gateway.platforms.helpers")
class MessageDeduplicator:
    """Recognises messages that a platform delivers again."""

    def __init__(self, max_size: int = 2000, ttl_seconds: float = 300) -> None:
        self._seen: dict[str, float] = {}
        self._max_size = max_size
        self._ttl = ttl_seconds

    def is_duplicate(self, msg_id: str) -> bool:
        """Return whether a message was seen recently, and remember it."""
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
        """Return whether a message was seen recently."""
        return bool(msg_id) and self._was_seen(msg_id)

    def discard(self, msg_id: str) -> None:
        """Forget a message."""
        self._seen.pop(msg_id, None)


@of_module("gateway.platforms.helpers")
class ThreadParticipationTracker:
    """Stores the threads of a platform in which the agent takes part, in a file of the home."""

    _home: Callable[[], Path]

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
        """Return whether a thread is remembered."""
        return thread_id in self._threads

    def clear(self) -> None:
        """Forget all threads."""
        self._threads.clear()

    def _path(self) -> Path:
        return self._home() / f"{self._platform}_threads.json"

    def _read(self) -> list[str]:
        try:
            found = json.loads(self._path().read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return [str(one) for one in found] if isinstance(found, list) else []
