"""Stands in for ``tools.registry``: the tools, and what handlers answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["ToolRegistry", "registry", "tool_error", "tool_result"]

_host = find_plugin_manager(__spec__)
_tools = _host.registrations.tools
_options = {"override"} & {one.name for one in _host.state.contract.context["register_tool"].parameters}


class ToolRegistry:
    """The tools of the host and of all plugins."""

    def register(
        self,
        name: str,
        toolset: str,
        schema: dict[str, Any],
        handler: Callable[..., Any],
        check_fn: Callable[[], Any] | None = None,
        requires_env: list[Any] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        max_result_size_chars: float | None = None,  # noqa: ARG002 - for the host's own tools
        dynamic_schema_overrides: Callable[..., Any] | None = None,  # noqa: ARG002 - as above
        **more: bool,
    ) -> None:
        """Keep a tool of nobody, or of the plugin that had it; of `more` the release knows ``override``, or nothing."""
        if unknown := more.keys() - _options:
            raise TypeError(f"ToolRegistry.register() got an unexpected keyword argument {min(unknown)!r}")
        held = _tools.entries.get(name)
        _tools.add(
            name=name,
            toolset=toolset,
            schema=schema,
            handler=handler,
            owner=held.owner if held and held.toolset == toolset else "",
            check_fn=check_fn,
            requires_env=requires_env,
            is_async=is_async,
            description=description,
            emoji=emoji,
            **more,
        )

    def deregister(self, name: str) -> None:
        """Take a tool away."""
        _tools.entries.pop(name, None)

    def get_entry(self, name: str) -> Any:
        """Return a tool, or None."""
        return _tools.entries.get(name)

    def get_all_tool_names(self) -> list[str]:
        """Return the names of all tools, sorted."""
        return sorted(_tools.entries)

    def get_schema(self, name: str) -> Any:
        """Return the schema of a tool, or None."""
        entry = _tools.entries.get(name)
        return entry.schema if entry else None

    def get_toolset_for_tool(self, name: str) -> str | None:
        """Return the toolset of a tool, or None."""
        entry = _tools.entries.get(name)
        return entry.toolset if entry else None

    def get_tool_to_toolset_map(self) -> dict[str, str]:
        """Return the toolsets by tool."""
        return {name: entry.toolset for name, entry in _tools.entries.items()}

    def dispatch(self, name: str, args: dict[str, Any], **kwargs: Any) -> Any:
        """Call a tool's handler."""
        return _tools.dispatch(name, args, **kwargs)


registry = ToolRegistry()


def tool_error(message: Any, **extra: Any) -> str:
    """Return the text of a result that is an error."""
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False)


def tool_result(data: Any = None, **kwargs: Any) -> str:
    """Return the text of a result."""
    return json.dumps(kwargs if data is None else data, ensure_ascii=False)
