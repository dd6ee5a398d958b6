"""Which tools a session is offered: the toolsets, what they are composed of, and those that are switched off."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.entry import BUILTIN
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry

_LACKING = frozenset({"browser", "browser-use", "computer_use", "connections", "vision"})
"""The toolsets of built-in tools that are not modelled, and that the host offers where it finds what they need."""
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
            NotSupported: A chosen toolset holds tools that the host may offer, and that are not modelled.
        """
        removed = {tool for toolset in disabled for tool in self._find_removed(toolset)}
        kept: set[str] = set()
        for toolset in chosen:
            tools = self._resolve(toolset) - removed
            for tool in sorted(tools):
                entry = self._registry.entries.get(tool)
                if entry and entry.owner == BUILTIN and entry.toolset in _LACKING:
                    raise self._state.unsupported(
                        f"offer the toolset {toolset!r}, which holds the built-in tool {tool!r}",
                        fix="Run this test on the real host (--hermes-host=real), or switch the tool's toolset"
                        f" {entry.toolset!r} off in `agent.disabled_toolsets`.",
                    )
            kept |= tools
        return sorted(kept)

    def _find_removed(self, toolset: str) -> set[str]:
        """Return the tools that a disabled toolset takes away; one that only bundles others leaves the core tools."""
        tools = self._resolve(toolset)
        bundles = toolset.startswith(_BUNDLE) or self._composed.get(toolset, {}).get("posture")
        return tools - self._core if bundles and self._state.behaviour.disabled_bundles_keep_core else tools

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
