"""Stands in for ``tools.registry``: the tools, and what handlers answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.tools import entry as _entries

__all__ = ["ToolRegistry", "registry", "tool_error", "tool_result"]

_host = find_plugin_manager(__spec__)
_tools = _host.registrations.tools
_members = _host.state.contract.section("classes")["ToolRegistry"]["members"]
_SHOWN = ("schema", "handler", "check_fn", "requires_env", "is_async", "description", "emoji")


class _Entry:
    """A tool as plugins see it; what they set in it is noted, because Hermes would use that."""

    def __init__(self, entry: _entries.ToolEntry) -> None:
        vars(self)["_entry"] = entry

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        is_builtin = self._entry.owner == _entries.BUILTIN
        if name in ("name", "toolset") or (not is_builtin and name in _SHOWN):
            return getattr(self._entry, name)
        if is_builtin and (self._entry.name, name) == ("delegate_task", "dynamic_schema_overrides"):
            return import_module("tools.delegate_tool")._build_dynamic_schema_overrides
        raise _host.state.unsupported(f"read {name} of the tool {self._entry.name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        _host.state.replaced.add(f"{name} of the tool {self._entry.name!r}")
        vars(self)[name] = value


class _Generation:
    """How often tools were registered: a plugin can only count on, which makes Hermes describe the tools anew."""

    def __add__(self, more: int) -> _Generation:
        return self

    def _refuse(self, *_: object) -> Any:
        raise _host.state.unsupported("read tools.registry.registry._generation")

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __sub__ = _refuse
    __bool__ = __format__ = __hash__ = __index__ = __int__ = __repr__ = _refuse


class ToolRegistry:
    """The tools of the host and of all plugins."""

    _generation = _Generation()

    def __init__(self) -> None:
        self._entries: dict[str, _Entry]
        vars(self)["_entries"] = {}

    def __getattr__(self, name: str) -> Any:
        if name in _members or (name.startswith("_") and not name.startswith("__")):
            raise _host.state.unsupported(f"read tools.registry.registry.{name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if value is not self._generation:
            _host.state.replaced.add(f"tools.registry.registry.{name}")
        super().__setattr__(name, value)

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
        override: bool = False,
    ) -> None:
        """Keep a tool of nobody, or of the plugin that had it."""
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
            override=override,
        )

    def deregister(self, name: str) -> None:
        """Take a tool away."""
        _tools.entries.pop(name, None)

    def get_entry(self, name: str) -> Any:
        """Return a tool, or None."""
        entry = _tools.entries.get(name)
        if entry is None:
            return None
        shown = self._entries.get(name)
        if shown is None or shown._entry is not entry:
            shown = self._entries[name] = _Entry(entry)
        return shown

    def get_all_tool_names(self) -> list[str]:
        """Return the names of all tools, sorted."""
        return sorted(_tools.entries)

    def get_schema(self, name: str) -> Any:
        """Return the schema of a tool, or None."""
        entry = self.get_entry(name)
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
