"""`Services`: the members of ``ctx`` that register nothing."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.services.capabilities import is_granted
from hermes_sdk.hosts.embedded.services.event_bus import EventBus
from hermes_sdk.hosts.embedded.services.mcp import McpServers
from hermes_sdk.hosts.embedded.services.settings import Settings
from hermes_sdk.hosts.embedded.state import HostState

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.services.platform_actions import PlatformActions
    from hermes_sdk.hosts.embedded.services.plugin_state import PluginState


class SubagentLifecycle:
    """Subagents of plugins, which are not modelled (N37)."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def launch(self, *_: Any, **__: Any) -> NoReturn:
        """Raise `NotSupported`, as all other methods do."""
        raise self._state.unsupported("run subagents for plugins")

    status = wait = result = cancel = reconnect = launch


class Services:
    """Implementation of the members of ``ctx`` that register nothing, for one plugin; methods take keywords only."""

    def __init__(
        self,
        manifest: PluginManifest,
        state: HostState,
        events: EventBus,
        mcp_servers: McpServers,
        plugins: Mapping[Any, Plugin],
    ) -> None:
        self.plugin_id = manifest.lookup_key
        self.profile_name = "default"
        self._manifest = manifest
        self._state = state
        self._events = events
        self._mcp_servers = mcp_servers
        self._plugins = plugins
        self._settings = Settings(state, self.plugin_id)

    @functools.cached_property
    def state(self) -> PluginState:
        from hermes_sdk.hosts.embedded.services.plugin_state import PluginState

        return PluginState(self._state.home_path, self.plugin_id)

    @functools.cached_property
    def platform_actions(self) -> PlatformActions:
        from hermes_sdk.hosts.embedded.services.platform_actions import PlatformActions

        return PlatformActions(self._state, self.plugin_id)

    @functools.cached_property
    def subagent_lifecycle(self) -> SubagentLifecycle:
        return SubagentLifecycle(self._state)

    def get_config(self, *, key: Any, default: Any) -> Any:
        return self._settings.get(key, default)

    def set_config(self, *, key: Any, value: Any) -> None:
        self._settings.set(key, value)

    def has_plugin(self, *, plugin_id: Any) -> bool:
        loaded = [one.manifest for one in self._plugins.values() if one.status == "loaded"]
        return any(plugin_id in (one.lookup_key, one.name) for one in loaded)

    def has_capability(self, *, capability: Any) -> bool:
        return is_granted(self._state, self.plugin_id, capability)

    def emit(self, *, event: Any, payload: Any) -> int:
        return self._events.emit(self._manifest, event, payload)

    def subscribe(self, *, event: Any, callback: Any) -> None:
        self._events.subscribe(self._manifest, event, callback)

    def call_mcp(self, *, server: Any, tool: Any, arguments: Any, timeout: Any) -> dict[str, Any]:
        return self._mcp_servers.call(self._manifest, server)

    def current_cron_execution(self) -> None:
        """Return None, since no cron job runs in this host."""
