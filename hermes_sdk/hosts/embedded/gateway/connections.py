"""Creation, connection and disconnection of the adapters of enabled platforms."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

from hermes_sdk.hosts.embedded.gateway.platforms import Platforms
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig
from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("gateway.run")

_DISCONNECT_SECONDS = 5.0


class Connections:
    """The connected adapters, by platform."""

    def __init__(self, state: HostState, platforms: Platforms, config: GatewayConfig) -> None:
        self._state = state
        self._platforms = platforms
        self._config = config
        self.adapters: dict[Any, Any] = {}

    def find_adapter(self, source: Any) -> Any:
        """Return the adapter of a source, or None."""
        return self.adapters.get(source.platform) if source else None

    async def connect_all(self, prepare: Callable[[Any, Any], None]) -> bool:
        """Connect every enabled platform, and return whether the gateway may continue.

        `prepare` is called with each platform and its adapter before the adapter connects.
        """
        conflicts: list[str] = []
        retries: list[str] = []
        enabled = [(platform, settings) for platform, settings in self._config.platforms.items() if settings.enabled]
        for platform, settings in enabled:
            adapter = self._make_adapter(str(platform.value), settings)
            if adapter is not None:
                prepare(platform, adapter)
                await self._connect(platform, adapter, conflicts, retries)
        return bool(self.adapters) or self._may_continue(len(enabled), conflicts, retries)

    def _may_continue(self, enabled: int, conflicts: list[str], retries: list[str]) -> bool:
        """Log why no platform is connected; return whether the gateway may run without one."""
        if conflicts:
            _log.error("Gateway hit a non-retryable startup conflict: %s", "; ".join(conflicts))
            return False
        if not enabled:
            _log.warning("No messaging platforms enabled.")
            return True
        if retries:
            reasons = "; ".join(retries)
            queued = "Gateway started with no connected platforms — %d platform(s) queued for retry: %s"
            _log.warning(queued, len(retries), reasons)
        _log.warning("%s", self._state.wording("log.no_adapter", count=enabled))
        return True

    def _make_adapter(self, name: str, settings: Any) -> Any:
        for key, value in self._config.sessions_per_user.items():
            settings.extra.setdefault(key, value)
        adapter = None
        try:
            adapter = self._platforms.make_adapter(name, settings)
        except Exception as error:
            # Hermes then looks for a built-in adapter.
            self._state.swallow(f"platform {name} check_fn", error)
        else:
            if adapter is None and name in self._platforms.by_name:
                _log.error(
                    "Platform '%s' is registered but adapter creation failed (check dependencies and config)", name
                )
        if adapter is None:
            _log.warning("No adapter available for %s", name)
        return adapter

    async def _connect(self, platform: Any, adapter: Any, conflicts: list[str], retries: list[str]) -> None:
        name, reason = str(platform.value), "failed to connect"
        try:
            is_connected = await adapter.connect(is_reconnect=False)
        except Exception as error:
            is_connected, reason = False, str(error)
            _log.error("✗ %s error: %s", name, error)
        else:
            if not is_connected:
                _log.warning("✗ %s failed to connect", name)
        if is_connected:
            self.adapters[platform] = adapter
            _log.info("✓ %s connected", name)
            return
        await self._disconnect(adapter, log_errors=False)
        if adapter.has_fatal_error and reason == "failed to connect":
            reason = adapter.fatal_error_message
        is_final = adapter.has_fatal_error and not adapter.fatal_error_retryable
        (conflicts if is_final else retries).append(f"{name}: {reason}")

    async def handle_fatal_error(self, adapter: Any) -> bool:
        """Drop an adapter after a fatal error; return whether the gateway may continue."""
        platform = adapter.platform
        _log.error(
            "Fatal %s adapter error (%s): %s",
            platform.value,
            adapter.fatal_error_code or "unknown",
            adapter.fatal_error_message or "unknown error",
        )
        if self.adapters.get(platform) is adapter:
            del self.adapters[platform]
            await self._disconnect(adapter)
        if self.adapters:
            return True
        if adapter.fatal_error_retryable:
            _log.warning(
                "No connected messaging platforms remain, but %d platform(s) queued for reconnection"
                " — the gateway tries again.",
                1,
            )
            return True
        _log.error("No connected messaging platforms remain. Shutting down gateway cleanly.")
        return False

    async def announce_shutdown(self, sources: Iterable[Any]) -> None:
        """Notify the chats with a current turn, and the home channels."""
        notice = self._state.wording("gateway.shutdown.notice_shutdown")
        marked = {"_interim_send": True} if self._state.behaviour.notices_marked_interim else None
        notified = set()
        for source in sources:
            adapter = self.find_adapter(source)
            if adapter is not None and getattr(adapter.config, "gateway_restart_notification", True):
                notified.add((source.platform, str(source.chat_id)))
                with contextlib.suppress(Exception):
                    await adapter.send(source.chat_id, notice, metadata=marked)
        for platform, adapter in list(self.adapters.items()):
            home = self._config.get_home_channel(platform)
            is_enabled = getattr(adapter.config, "gateway_restart_notification", True)
            if home and is_enabled and (platform, str(home.chat_id)) not in notified:
                with contextlib.suppress(Exception):
                    await adapter.send(str(home.chat_id), notice, **({"metadata": marked} if marked else {}))

    async def disconnect_all(self) -> None:
        """Cancel the background tasks of the adapters, and disconnect them."""
        for adapter in list(self.adapters.values()):
            await adapter.cancel_background_tasks()
            await self._disconnect(adapter)
        self.adapters.clear()

    async def _disconnect(self, adapter: Any, *, log_errors: bool = True) -> None:
        name, began = adapter.platform.value, time.monotonic()
        try:
            await asyncio.wait_for(adapter.disconnect(), _DISCONNECT_SECONDS)
        except TimeoutError:
            _log.warning("Timed out after %.1fs while disconnecting %s adapter", _DISCONNECT_SECONDS, name)
        except Exception as error:
            if log_errors:
                _log.error("✗ %s disconnect error after %.2fs: %s", name, time.monotonic() - began, error)
