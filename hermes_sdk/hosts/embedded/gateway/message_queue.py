"""Messages that wait for the end of a turn: the adapter holds the first one, the gateway those behind it."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.hosts.embedded.gateway.adapter.pending import keep

_log = logging.getLogger("gateway.run")

_MOST = 32


class Waiting:
    """The queues of the chats."""

    def __init__(self) -> None:
        self._behind: dict[str, list[Any]] = {}

    def add(self, key: str, event: Any, adapter: Any) -> int:
        """Let a message wait behind all others; returns how many wait then."""
        if adapter is None:
            return 0
        if key in adapter._pending_messages:
            self._behind.setdefault(key, []).append(event)
        else:
            adapter._pending_messages[key] = event
        return self.depth(key, adapter)

    def depth(self, key: str, adapter: Any) -> int:
        """How many messages of a chat wait."""
        return len(self._behind.get(key, ())) + (key in adapter._pending_messages)

    def join(self, key: str, event: Any, adapter: Any) -> None:
        """Let a message wait; media join what waits, and there is a limit."""
        first = adapter._pending_messages.get(key)
        if first is not None and (first.media_urls or event.media_urls):
            keep(adapter._pending_messages, key, event, merge_text=True)
        elif self.depth(key, adapter) >= _MOST:
            _log.warning("Dropping busy-mode follow-up for session %s — pending queue at cap (%d).", key, _MOST)
        else:
            self.add(key, event, adapter)

    def take(self, key: str, adapter: Any) -> Any:
        """Take the message whose turn it is, or None."""
        first = adapter.get_pending_message(key)
        behind = self._behind.get(key)
        if behind:
            following = behind.pop(0)
            if not behind:
                del self._behind[key]
            if first is None:
                return following
            adapter._pending_messages[key] = following
        return first
