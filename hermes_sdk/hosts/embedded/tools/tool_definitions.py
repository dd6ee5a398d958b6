"""``model_tools.get_tool_definitions``, as plugins call it."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry


class OfferedTools:
    """Provides tool definitions to plugins, for toolsets without built-in tools."""

    def __init__(self, state: HostState, registry: ToolRegistry) -> None:
        self._state = state
        self._registry = registry

    def get_tool_definitions(
        self,
        enabled_toolsets: list[str] | None = None,
        disabled_toolsets: list[str] | None = None,
        quiet_mode: bool = False,
        skip_tool_search_assembly: bool = False,
    ) -> list[dict[str, Any]]:
        """Return the definitions of the tools in toolsets, as a model receives them."""
        self._registry.register_builtins()
        if enabled_toolsets is None or disabled_toolsets or not self._have_only_plugin_tools(enabled_toolsets):
            raise self._state.unsupported("define the built-in tools")
        if not quiet_mode:
            raise self._state.unsupported("print which tools are selected")
        if not skip_tool_search_assembly and self._defers_tools():
            raise self._state.unsupported("define tools that the model has to search for")
        names = [name for name, one in self._registry.entries.items() if one.toolset in enabled_toolsets]
        return self._registry.definitions(names)

    def _have_only_plugin_tools(self, toolsets: list[str]) -> bool:
        contract, registry = self._state.contract, self._registry
        own = {registry.entries[name].toolset for name in registry.plugin_tools}
        return own.difference(contract.toolsets, contract.composed_toolsets, registry.aliases).issuperset(toolsets)

    def _defers_tools(self) -> bool:
        tools = self._state.config.read().get("tools")
        search = tools.get("tool_search") if isinstance(tools, dict) else None
        return not (isinstance(search, dict) and search.get("enabled") in ("off", False))
