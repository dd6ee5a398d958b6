"""Events between plugins: ``ctx.emit`` and ``ctx.subscribe`` (statements N71 and N72)."""

from __future__ import annotations

import copy
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from hermes_sdk.hosts.embedded.coroutines import resolve
from hermes_sdk.hosts.embedded.failures import Failures
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("hermes_cli.plugins")

_DEPTH = 8
_PENDING = 64


class EventBus:
    """Subscribers of all plugins by the full name of an event; they survive a discovery."""

    def __init__(self, state: HostState) -> None:
        self.failures = Failures(state, "Event", "subscriber")
        self._subscribers: dict[str, list[tuple[Any, Callable[..., Any]]]] = {}
        self._queue: deque[Callable[[], None]] = deque()
        self._pending = 0
        self._lock = threading.Lock()
        self._chain = threading.local()

    def subscribe(self, plugin: PluginManifest, event: Any, callback: Any) -> None:
        """Add a subscriber to an event, whose name includes its plugin.

        Raises:
            ValueError: The event has no name.
            TypeError: The callback is not callable.
        """
        if not event or not isinstance(event, str):
            raise ValueError(f"Plugin '{plugin.name}' subscribe() requires a non-empty event name")
        if not callable(callback):
            raise TypeError("Event subscriber callback must be callable")
        self._subscribers.setdefault(event, []).append((plugin.lookup_key, callback))

    def unsubscribe(self, plugin: PluginManifest) -> None:
        """Remove the subscribers of a plugin that failed to load."""
        for event, subscribers in self._subscribers.items():
            self._subscribers[event] = [one for one in subscribers if one[0] != plugin.lookup_key]

    def emit(self, plugin: PluginManifest, event: Any, payload: Any) -> int:
        """Schedule the subscribers of an event of this plugin, and return their number.

        Raises:
            ValueError: The name is empty or contains a namespace.
            TypeError: The payload is not a mapping.
        """
        key = plugin.lookup_key
        if not event or not isinstance(event, str):
            logger.warning("Plugin '%s' tried to emit an invalid event name %r", key, event)
            raise ValueError(f"Plugin '{key}' emit() requires a non-empty event name")
        if ":" in event:
            logger.warning(
                "Plugin '%s' tried to emit namespaced/reserved event '%s' — a plugin may only emit bare event names"
                " under its own '%s:' namespace (the 'hermes:' prefix is reserved for core, and foreign namespaces are"
                " forbidden)",
                key,
                event,
                key,
            )
            raise ValueError(
                f"Plugin '{key}' may not emit '{event}': emit only the bare event name; the namespace is forced to"
                f" '{key}:' and the 'hermes:' prefix is reserved for core"
            )
        if payload is not None and not isinstance(payload, dict):
            raise TypeError(f"Plugin '{key}' emit() payload must be a dict or None")
        return self._schedule(f"{key}:{event}", dict(payload or {}))

    def _schedule(self, event: str, payload: dict[str, Any]) -> int:
        depth = getattr(self._chain, "depth", 0)
        if depth >= _DEPTH:
            logger.warning(
                "Event bus recursion cap (%d) exceeded while dispatching '%s' — not emitted",
                _DEPTH,
                event,
            )
            return 0
        with self._lock:
            subscribers = tuple(self._subscribers.get(event, ()))
            if not subscribers:
                return 0
            if self._pending >= _PENDING:
                message = "Event bus pending budget (%d) exhausted while dispatching '%s' — dropping this emit"
                logger.warning(message, _PENDING, event)
                return 0
            self._queue.append(lambda: self._deliver(event, payload, subscribers, depth + 1))
            self._pending += 1
            if self._pending == 1:
                threading.Thread(target=self._work, name="hermes-plugin-events", daemon=True).start()
        return len(subscribers)

    def _work(self) -> None:
        while True:
            self._queue.popleft()()
            with self._lock:
                self._pending -= 1
                if not self._pending:
                    return

    def _deliver(
        self, event: str, payload: dict[str, Any], subscribers: tuple[tuple[Any, Callable[..., Any]], ...], depth: int
    ) -> None:
        self._chain.depth = depth
        for one in subscribers:
            if one not in self._subscribers[event]:
                continue
            _, callback = one
            try:
                resolve(callback(**copy.deepcopy(payload)))
            except Exception as error:
                self.failures.report(event, callback, error, payload)
