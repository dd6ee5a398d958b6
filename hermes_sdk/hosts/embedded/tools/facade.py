"""The tool registry as plugins see it: ``tools.registry.registry``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from hermes_sdk.hosts.embedded.host_classes import derive_class, of_module
from hermes_sdk.hosts.embedded.placeholders import create_placeholder
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools import registry
from hermes_sdk.hosts.embedded.tools.definitions import BUILTIN, ToolEntry

_READABLE = ("schema", "handler", "check_fn", "requires_env", "is_async", "description", "emoji")


class Embedded(NamedTuple):
    """The host behind a registry that plugins see."""

    state: HostState
    tools: registry.ToolRegistry


class _Entry:
    """A tool as plugins see it; records the attributes that they set, because Hermes would use them."""

    def __init__(self, entry: ToolEntry, state: HostState) -> None:
        vars(self).update(_entry=entry, _state=state)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        is_builtin = self._entry.owner == BUILTIN
        if name in ("name", "toolset") or (not is_builtin and name in _READABLE):
            return getattr(self._entry, name)
        if is_builtin and (self._entry.name, name) == ("delegate_task", "dynamic_schema_overrides"):
            return create_placeholder(self._state, "tools.delegate_tool", "_build_dynamic_schema_overrides")
        raise self._state.unsupported(f"read {name} of the tool {self._entry.name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._state.replaced.add(f"{name} of the tool {self._entry.name!r}")
        vars(self)[name] = value


class _Generation:
    """Number of tool registrations: a plugin can only increase it, which makes Hermes describe the tools again."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def __add__(self, more: int) -> _Generation:
        return self

    def _refuse(self, *_: object) -> NoReturn:
        raise self._state.unsupported("read tools.registry.registry._generation")

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __sub__ = _refuse
    __bool__ = __format__ = __hash__ = __index__ = __int__ = __repr__ = _refuse


@of_module("tools.registry")
class ToolRegistry:
    """The tools of the host and of all plugins."""

    _embedded: Embedded
    _generation: _Generation

    def __init__(self) -> None:
        self._entries: dict[str, tuple[ToolEntry, _Entry]]
        vars(self)["_entries"] = {}

    def __getattr__(self, name: str) -> Any:
        members = self._embedded.state.contract.section("classes")["ToolRegistry"]["members"]
        if name in members or (name.startswith("_") and not name.startswith("__")):
            raise self._embedded.state.unsupported(f"read tools.registry.registry.{name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if value is not self._generation:
            self._embedded.state.replaced.add(f"tools.registry.registry.{name}")
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
        """Register a tool without an owner, or with the owner of the tool that it replaces."""
        existing = self._embedded.tools.entries.get(name)
        self._embedded.tools.add(
            name=name,
            toolset=toolset,
            schema=schema,
            handler=handler,
            owner=existing.owner if existing and existing.toolset == toolset else "",
            check_fn=check_fn,
            requires_env=requires_env,
            is_async=is_async,
            description=description,
            emoji=emoji,
            override=override,
        )

    def deregister(self, name: str) -> None:
        """Remove a tool."""
        self._embedded.tools.remove(name)

    def get_entry(self, name: str) -> Any:
        """Return a tool, or None."""
        entry = self._embedded.tools.entries.get(name)
        if entry is None:
            return None
        known, shown = self._entries.get(name, (None, None))
        if known is not entry:
            shown = _Entry(entry, self._embedded.state)
            self._entries[name] = entry, shown
        return shown

    def get_all_tool_names(self) -> list[str]:
        """Return the names of all tools, sorted."""
        return sorted(self._embedded.tools.entries)

    def get_schema(self, name: str) -> Any:
        """Return the schema of a tool, or None."""
        entry = self.get_entry(name)
        return entry.schema if entry else None

    def get_toolset_for_tool(self, name: str) -> str | None:
        """Return the toolset of a tool, or None."""
        entry = self._embedded.tools.entries.get(name)
        return entry.toolset if entry else None

    def get_tool_to_toolset_map(self) -> dict[str, str]:
        """Return the toolsets by tool."""
        return {name: entry.toolset for name, entry in self._embedded.tools.entries.items()}

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Add an alias of a toolset."""
        self._embedded.tools.add_alias(alias, toolset)

    def get_registered_toolset_aliases(self) -> dict[str, str]:
        """Return the toolsets by alias."""
        return dict(self._embedded.tools.aliases)

    def get_toolset_alias_target(self, alias: str) -> str | None:
        """Return the toolset of an alias, or None."""
        return self._embedded.tools.aliases.get(alias)

    def dispatch(self, name: str, args: dict[str, Any], **kwargs: Any) -> Any:
        """Call a tool's handler."""
        return self._embedded.tools.dispatch(name, args, **kwargs)


def make_registry(embedded: Embedded) -> ToolRegistry:
    """Create the registry of a host, with a separate class, because plugins may patch the class."""
    return derive_class(ToolRegistry, _embedded=embedded, _generation=_Generation(embedded.state))()
