"""How platforms become adapters that are connected, and how they are let go."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.gateway.runner import GatewayRunner

_log = logging.getLogger("gateway.run")

_SECONDS = 5.0


class Connecting:
    """Connects the platforms that are switched on.

    Args:
        runner: The gateway.
    """

    def __init__(self, runner: GatewayRunner) -> None:
        self._runner = runner
        self._switched_on = 0
        self._later: list[str] = []
        self._conflicts: list[str] = []

    async def all(self) -> None:
        """Connect every platform that is switched on."""
        for platform, settings in self._runner.config.platforms.items():
            if settings.enabled:
                self._switched_on += 1
                adapter = self._adapter(platform, settings)
                if adapter is not None:
                    await self._connect(platform, adapter)

    def gave_up(self) -> bool:
        """Whether the gateway cannot go on. Logs that no platform is connected, if that is so."""
        if self._runner.adapters:
            return False
        if self._conflicts:
            _log.error("Gateway hit a non-retryable startup conflict: %s", "; ".join(self._conflicts))
            return True
        if not self._switched_on:
            _log.warning("No messaging platforms enabled.")
            return False
        if self._later:
            if not self._runner.contract.behaviour.gateway_outlives_platforms:
                _log.error("Gateway failed to connect any configured messaging platform: %s", "; ".join(self._later))
                return True
            _log.warning(
                "Gateway started with no connected platforms — %d platform(s) queued for retry: %s",
                len(self._later),
                "; ".join(self._later),
            )
        _log.warning(
            "No adapter could be created for any of the %d configured platform(s). Check that required dependencies are"
            " installed and credentials are set. Gateway will continue for cron job execution.",
            self._switched_on,
        )
        return False

    def _adapter(self, platform: Any, settings: Any) -> Any:
        runner, name = self._runner, str(platform.value)
        for key, value in runner.config.sessions_per_user.items():
            settings.extra.setdefault(key, value)
        adapter = None
        try:
            adapter = runner.platforms.adapter(name, settings)
        except Exception as error:
            # The host then looks for an adapter of its own.
            runner.state.swallow(f"platform {name} check_fn", error)
        else:
            if adapter is None and name in runner.platforms.by_name:
                _log.error(
                    "Platform '%s' is registered but adapter creation failed (check dependencies and config)", name
                )
        if adapter is None:
            _log.warning("No adapter available for %s", name)
            return None
        behaviour = runner.contract.behaviour
        declared = behaviour.adapters_may_get_runner and hasattr(adapter, "gateway_runner")
        if behaviour.adapters_get_runner or declared:
            adapter.gateway_runner = runner
        runner.furnish(platform, adapter)
        return adapter

    async def _connect(self, platform: Any, adapter: Any) -> None:
        name, why = str(platform.value), "failed to connect"
        passed = self._runner.contract.host_call_arguments("platform adapter connect")
        told = {"is_reconnect": False} if "is_reconnect" in passed else {}
        try:
            connected = await adapter.connect(**told)
        except Exception as error:
            connected, why = False, str(error)
            _log.error("✗ %s error: %s", name, error)
        else:
            if not connected:
                _log.warning("✗ %s failed to connect", name)
        if connected:
            self._runner.adapters[platform] = adapter
            _log.info("✓ %s connected", name)
            return
        await self.disconnect(adapter, quietly=True)
        if adapter.has_fatal_error and why == "failed to connect":
            why = adapter.fatal_error_message
        if adapter.has_fatal_error and not adapter.fatal_error_retryable:
            self._conflicts.append(f"{name}: {why}")
        else:
            self._later.append(f"{name}: {why}")

    async def disconnect(self, adapter: Any, *, quietly: bool = False) -> None:
        """Disconnect an adapter, within a time.

        Args:
            adapter: The adapter.
            quietly: Whether nobody minds what it raises.
        """
        name, began = adapter.platform.value, time.monotonic()
        try:
            await asyncio.wait_for(adapter.disconnect(), _SECONDS)
        except TimeoutError:
            _log.warning("Timed out after %.1fs while disconnecting %s adapter", _SECONDS, name)
        except Exception as error:
            if not quietly:
                _log.error("✗ %s disconnect error after %.2fs: %s", name, time.monotonic() - began, error)
