"""Which tools a session is offered: the toolsets, what they are composed of, and those that are switched off."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.entry import BUILTIN
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry
from hermes_sdk.hosts.embedded.tools.requirements import is_conditional, is_offered

_EVERYTHING = frozenset({"all", "*"})
_BUNDLE = "hermes-"


class Toolsets:
    """The toolsets of a host; those of Hermes hold tools of each other, and of plugins.

    Each of the `platforms`, which plugins registered, has a bundle of its own.
    """

    def __init__(self, state: HostState, registry: ToolRegistry, platforms: Container[str]) -> None:
        self._state = state
        self._registry = registry
        self._platforms = platforms
        self._composed = state.contract.composed_toolsets
        self._core = state.contract.core_tools

    def list_tools(self, chosen: Iterable[str], disabled: Iterable[str]) -> list[str]:
        """List the tools of the chosen toolsets without those of the disabled ones (C10 to C12).

        Raises:
            NotSupported: A chosen toolset holds a built-in tool of which it is not known whether the host offers it.
        """
        removed = {tool for toolset in disabled for tool in self._find_removed(toolset)}
        kept: set[str] = set()
        for toolset in chosen:
            tools = self._resolve(toolset) - removed
            for tool in sorted(tools):
                self._require_known(tool, toolset)
            kept |= tools
        if "terminal" not in kept:
            kept.discard("browser_exec")
        return sorted(kept)

    def _require_known(self, tool: str, toolset: str) -> None:
        """Refuse a tool of a chosen toolset that the host may offer or not."""
        entry = self._registry.entries.get(tool)
        if entry is None or entry.owner != BUILTIN or not is_conditional(entry.toolset):
            return
        if is_offered(self._state, tool, entry.toolset) is None or tool not in self._state.contract.tool_parameters:
            raise self._state.unsupported(
                f"offer the toolset {toolset!r}, which contains the built-in tool {tool!r}",
                fix="Run this test on the real host (--hermes-host=real), or disable the tool's toolset"
                f" {entry.toolset!r} in `agent.disabled_toolsets`.",
            )

    def _find_removed(self, toolset: str) -> set[str]:
        """Return the tools that a disabled toolset takes away; one that only bundles others leaves the core tools."""
        tools = self._resolve(toolset)
        bundles = toolset.startswith(_BUNDLE) or self._composed.get(toolset, {}).get("posture")
        return tools - self._core if bundles else tools

    def _resolve(self, toolset: str) -> set[str]:
        """Return the tools of a toolset; empty if there is none of that name."""
        if toolset in _EVERYTHING:
            names = {one.toolset for one in self._registry.entries.values()}
            return {tool for name in names for tool in self._resolve(name)}
        tools = {name for name, entry in self._registry.entries.items() if entry.toolset == toolset}
        parts: Mapping[str, Any] = self._composed.get(toolset, {})
        if not (tools or parts) and toolset.startswith(_BUNDLE) and toolset[len(_BUNDLE) :] in self._platforms:
            return self._resolve(toolset[len(_BUNDLE) :]) | self._core
        if tools and parts.get("former"):
            return tools
        if parts.get("core"):
            tools |= self._core
        tools.update(parts.get("tools", ()))
        return tools.union(*(self._resolve(included) for included in parts.get("includes", ())))
