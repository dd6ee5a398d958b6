"""Messages that plugins inject into the chats of a running gateway (N40, N41)."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.gateway.authorisation import Authorisation
from hermes_sdk.hosts.embedded.gateway.connections import Connections
from hermes_sdk.hosts.embedded.gateway.sessions import SessionStore

_log = logging.getLogger("gateway.run")


class Injection:
    """Delivers messages of plugins to the chat of a session, or to a chat that the plugin describes."""

    def __init__(
        self,
        classes: AdapterClasses,
        sessions: SessionStore,
        authorisation: Authorisation,
        connections: Connections,
    ) -> None:
        self._classes = classes
        self._sessions = sessions
        self._authorisation = authorisation
        self._connections = connections
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, plugin: str, content: str, session_key: str | None, origin: Mapping[str, Any] | None) -> bool:
        """Schedule a message on the gateway's loop; return False if its origin is not valid or not connected."""
        if origin is None:
            self._schedule(self._deliver_to_session(plugin, content, str(session_key)))
            return True
        source = self._find_source(plugin, origin)
        if source is not None:
            self._schedule(self._deliver_to_origin(plugin, content, source))
        return source is not None

    def _schedule(self, delivery: Any) -> Future[None] | None:
        try:
            is_on_loop = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_on_loop = False
        if not is_on_loop:
            return asyncio.run_coroutine_threadsafe(delivery, self._loop)
        task = self._loop.create_task(delivery)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return None

    def _find_source(self, plugin: str, origin: Mapping[str, Any]) -> Any:
        """Return the source that a plugin describes, or None if it is not valid or has no connected adapter."""
        refused = f"Plugin message injection refused: plugin={plugin}"
        fields = dict(origin)
        profile = fields.pop("profile", None)
        if profile and profile != "default":
            _log.warning(
                "%s origin names profile %r; plugins may only start sessions in their own profile (default)",
                refused,
                profile,
            )
            return None
        try:
            source = self._classes.SessionSource.from_dict(fields)
        except (KeyError, TypeError, ValueError) as error:
            _log.warning("%s invalid origin (%s)", refused, error)
            return None
        if self._connections.find_adapter(source) is None:
            _log.warning("%s no connected %s adapter for profile default", refused, source.platform.value)
            return None
        return source

    async def _deliver_to_session(self, plugin: str, content: str, key: str) -> None:
        target = f"session={key}"
        entry = self._sessions.current(key)
        if entry is None or not await self._deliver(plugin, content, dataclasses.replace(entry.origin), target):
            _log.warning("Plugin message injection was not routed: plugin=%s %s", plugin, target)

    async def _deliver_to_origin(self, plugin: str, content: str, source: Any) -> None:
        target = f"origin={source.platform.value}/{source.chat_id}"
        if not await self._deliver(plugin, content, source, target):
            _log.warning("Plugin message injection was not routed: plugin=%s %s", plugin, target)

    async def _deliver(self, plugin: str, content: str, source: Any, target: str) -> bool:
        if not self._authorisation.allows(source):
            _log.warning(
                "Plugin message injection denied by current gateway authorization: plugin=%s %s", plugin, target
            )
            return False
        adapter = self._connections.find_adapter(source)
        if adapter is None:
            return False
        message = self._classes.MessageEvent(
            text=content,
            message_type=self._classes.MessageType.TEXT,
            source=source,
            internal=True,
            allow_gateway_control=False,
            metadata={"hermes_plugin_id": plugin, "hermes_plugin_injection": True, **self._pin(source, target)},
        )
        await adapter.handle_message(message)
        return True

    def _pin(self, source: Any, target: str) -> dict[str, Any]:
        """Return the metadata that ties a message to a session.

        With a session id, only that session may receive the message; otherwise, any session with the key may.
        """
        key = self._sessions.key(source)
        entry = self._sessions.current(key)
        if entry is None or target.startswith("origin="):
            return {"gateway_session_key": key}
        return {"gateway_session_key": key, "gateway_session_id": entry.session_id, "gateway_session_strict": True}
