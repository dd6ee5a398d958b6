"""The tool registry: registration, overrides and dispatch (C1 to C9, C22 to C25)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.ledger import Entry, Release
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.signatures import narrow
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import CreditedStore
from hermes_sdk.hosts.embedded.tools.async_bridge import AsyncBridge
from hermes_sdk.hosts.embedded.tools.availability import Availability
from hermes_sdk.hosts.embedded.tools.definitions import BUILTIN, ToolEntry, definitions
from hermes_sdk.hosts.embedded.tools.results import (
    bound_error,
    bound_result,
    contract_error,
    keeps_contract,
    sanitise_error,
)

_log = logging.getLogger("tools.registry")
_ADVICE = "Pass override=True to replace it."
_plugins_log = logging.getLogger("hermes_cli.plugins")


class ToolRegistry(CreditedStore):
    """The tools of the host and of all plugins by name, in the order of the first registration of each name.

    Attributes:
        changes: The number of times that a tool was added or removed.
        aliases: Toolsets by alias.
        of_plugins: The names that plugins registered since the last discovery, including rejected names.
    """

    entries: dict[str, ToolEntry]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self.changes = 0
        self.aliases: dict[str, str] = {}
        behaviour = state.behaviour
        self._state = state
        self.of_plugins: dict[str, None] = {}
        self._builtin_context: Any = None
        self._load_builtins: Callable[[], tuple[Mapping[str, ToolEntry], Any]] = lambda: ({}, None)
        self._is_starting = False
        self._checks_schemas = behaviour.tool_schemas_checked
        self._narrows = behaviour.handlers_narrowed
        self._by_home = behaviour.tools_by_home
        self._bounds_errors = behaviour.tool_errors_bounded
        self._bridge = AsyncBridge()
        self._available = Availability(
            quiet=behaviour.check_fn_quiet,
            on_swallowed=state.swallow,
        )
        self._lists_required = behaviour.required_always_listed

    def register(self, plugin: PluginManifest, *, name: str, **entry: Any) -> Entry | None:
        """Register the tool of a plugin; see `add`."""
        existing = self.entries.get(name)
        if self._by_home and existing is not None and existing.owner == BUILTIN and not entry.get("override"):
            _plugins_log.warning("Plugin %s tried to shadow global tool %s without override=True", plugin.name, name)
            return None
        release = self.add(name=name, owner=plugin.lookup_key, **entry)
        self.of_plugins[name] = None
        return Entry(name, release) if release else None

    def add(
        self,
        *,
        name: str,
        toolset: str,
        schema: Any,
        handler: Callable[..., Any],
        owner: str,
        check_fn: Callable[[], Any] | None = None,
        requires_env: list[Any] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> Release | None:
        """Register a tool, or log why it is rejected.

        A tool silently replaces one with the same name and toolset. If the toolset differs, the existing tool stays
        unless `override` is set.

        Returns:
            A function that undoes the registration; None if the tool was rejected.

        Raises:
            ValueError: The schema or its parameters are not a dict, on releases that check this.
            AttributeError: The schema is not a mapping, and `description` is empty.
            PermissionError: The handler of an override is not defined in the plugin's main module.
        """
        if self._checks_schemas:
            _check_schema(name, schema)
        existing = self.entries.get(name)
        if existing is not None and self._blocks(existing, toolset):
            if not override:
                self._reject(existing, toolset)
                return None
            self._check_override(existing, handler, owner)
            _log.info(
                "Tool '%s': toolset '%s' overriding existing toolset '%s' (override=True opt-in)",
                name,
                toolset,
                existing.toolset,
            )
        entry = ToolEntry(
            name=name,
            toolset=toolset,
            schema=schema,
            handler=handler,
            check_fn=check_fn,
            requires_env=requires_env or [],
            is_async=is_async,
            description=description or schema.get("description", ""),
            emoji=emoji,
            owner=owner,
        )
        return self.put(name, entry)

    def add_builtins(self, load: Callable[[], tuple[Mapping[str, ToolEntry], Any]]) -> None:
        """Set the host's own tools, which are registered on the first use of a tool after the start (C5).

        Args:
            load: Returns the entries of the tools, and their context.
        """
        self._load_builtins = load

    @cached_property
    def _pending_builtins(self) -> Mapping[str, ToolEntry]:
        builtins, self._builtin_context = self._load_builtins()
        return builtins

    @contextmanager
    def starting(self) -> Generator[None]:
        """Defer the host's own tools while plugins load, except those of modules that a plugin imports."""
        self._is_starting = True
        try:
            yield
        finally:
            self._is_starting = False

    def register_builtins(self, *names: str) -> None:
        """Register the host's own tools once, and log the names that plugins have taken.

        On releases that store tools by home, plugin tools take precedence instead. With `names`, only those tools are
        registered.
        """
        if self._is_starting and not names:
            return
        pending, self._pending_builtins = self._pending_builtins, {}
        if names:
            self._pending_builtins = {name: builtin for name, builtin in pending.items() if name not in names}
            pending = {name: pending[name] for name in names if name in pending}
        for name, builtin in pending.items():
            existing = self.entries.get(name)
            if existing is None or not (self._by_home or self._blocks(existing, builtin.toolset)):
                self.entries[name] = builtin
            elif self._by_home:
                self._replaced.setdefault(name, []).insert(0, builtin)
            else:
                self._reject(existing, builtin.toolset)

    def put(self, name: Any, entry: Any) -> Release:
        """Store an entry, and count the change; see `Store.put`."""
        self.changes += 1
        return super().put(name, entry)

    def remove(self, name: str) -> None:
        """Remove a tool, and count the change."""
        removed = self.entries.pop(name, None)
        if removed is not None:
            self.changes += 1
            self._drop_aliases(removed.toolset)

    def _undo_put(self, name: Any, entry: Any) -> None:
        is_current = self.entries.get(name) is entry
        super()._undo_put(name, entry)
        if is_current:
            self.changes += 1
            self._drop_aliases(entry.toolset)

    def add_alias(self, alias: str, toolset: str) -> None:
        """Add an alias of a toolset, which is dropped when the toolset has no more tools."""
        known = self.aliases.get(alias)
        if known and known != toolset:
            _log.warning("Toolset alias collision: '%s' (%s) overwritten by %s", alias, known, toolset)
        self.aliases[alias] = toolset

    def _drop_aliases(self, toolset: str) -> None:
        if not any(entry.toolset == toolset for entry in self.entries.values()):
            self.aliases = {alias: target for alias, target in self.aliases.items() if target != toolset}

    def _blocks(self, existing: ToolEntry, toolset: str) -> bool:
        """Return whether an existing tool prevents the registration of its name in a toolset."""
        both_from_mcp = existing.toolset.startswith("mcp-") and toolset.startswith("mcp-")
        return existing.toolset != toolset and (self._by_home or not both_from_mcp)

    def _reject(self, existing: ToolEntry, toolset: str) -> None:
        _log.error(
            "Tool registration REJECTED: '%s' (toolset '%s') would shadow existing tool from toolset '%s'. %s",
            existing.name,
            toolset,
            existing.toolset,
            _ADVICE,
        )

    def clear(self) -> None:
        """Clear the names that plugins registered; the tools themselves outlive a rescan (A1)."""
        self.of_plugins.clear()

    def mark(self) -> int:
        """Return the number of names that plugins registered."""
        return len(self.of_plugins)

    def credit(self, plugin: PluginManifest, mark: int) -> list[str]:  # noqa: ARG002
        """Return the names that plugins registered since `mark`."""
        return list(islice(reversed(self.of_plugins), len(self.of_plugins) - mark))[::-1]

    def get(self, name: str) -> ToolEntry | None:
        """Return the complete entry of a tool."""
        entry = self.entries.get(name)
        if entry is not None and entry.complete is not None:
            entry = self.entries[name] = entry.complete(entry, self._builtin_context)
        return entry

    @property
    def plugin_tools(self) -> list[str]:
        """The names of the tools that plugins registered and still own."""
        return [name for name in self.of_plugins if self.is_of_plugin(name)]

    def is_of_plugin(self, name: str) -> bool:
        """Return whether a plugin owns a tool; a built-in tool reclaims its name in its own toolset (C3)."""
        entry = self.entries.get(name)
        return entry is not None and entry.owner != BUILTIN

    def definitions(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """Return the definitions of tools for a model, without unknown and unavailable tools."""
        self.register_builtins()
        entries = [entry for entry in map(self.get, names) if entry is not None]
        if self._lists_required:
            self._refuse_renamed_arguments(entries)
        return definitions(entries, self._available, self._lists_required)

    def _refuse_renamed_arguments(self, entries: Iterable[ToolEntry]) -> None:
        """Refuse argument names that the host would replace with others for the model."""
        for entry in entries:
            parameters = entry.schema.get("parameters")
            properties = parameters.get("properties") if isinstance(parameters, dict) else None
            for name in properties if isinstance(properties, dict) else ():
                if not re.fullmatch(r"[\w.-]{1,64}", str(name), re.ASCII):
                    raise self._state.unsupported(f"rename the argument {name!r} of the tool {entry.name!r}")

    def check_all(self) -> None:
        """Call the ``check_fn`` of each plugin tool, whose result is cached for half a minute."""
        self.register_builtins()
        for name in sorted(self.plugin_tools):
            if check_fn := self.entries[name].check_fn:
                self._available(check_fn)

    def dispatch(self, name: str, args: Any, **kwargs: Any) -> Any:
        """Call a handler and return its result; exceptions become error results.

        Like ``ctx.dispatch_tool``, this runs no hooks, middleware or coercion.

        Raises:
            HermesSdkError: The tool is a built-in tool that is not modelled.
        """
        self.register_builtins()
        entry = self.get(name)
        if entry is None:
            return self._format_error(f"Unknown tool: {name}")
        try:
            handler = entry.handler
            if self._narrows:
                kwargs = narrow(handler, kwargs)
            if entry.owner == BUILTIN and (builtins := self._state.builtin_calls):
                handler = builtins.wrap(name, handler, is_async=entry.is_async)
            if self._state.recording.active and entry.owner != BUILTIN:
                handler = self._state.recording.wrap("tool", name, handler)
            result = handler(args, **kwargs)
            if entry.is_async:
                result = self._bridge.run(result)
        except HermesSdkError:
            raise
        except Exception as error:
            logged = bound_error(str(error)) if self._bounds_errors else error
            _log.exception("Tool %s dispatch error: %s", name, logged)
            # If formatting the exception raises another exception, the host reports that exception instead.
            answer = self._format_error(self.error_text(f"Tool execution failed: {type(error).__name__}: {error}"))
            self._state.swallow(f"tool {name}", error)
            return answer
        if not keeps_contract(result):
            _log.error("Tool %s handler returned unsupported result type: %s", name, type(result).__name__)
            return contract_error(name, result)
        return bound_result(result) if self._bounds_errors and isinstance(result, str) else result

    def error_text(self, message: str) -> str:
        """Format an error for the model."""
        text = sanitise_error(message, bounded=self._bounds_errors)
        return bound_error(text) if self._bounds_errors else text

    def _format_error(self, message: str) -> str:
        return json.dumps({"error": message}, ensure_ascii=not self._bounds_errors)

    def close(self) -> None:
        """Cancel the tasks that coroutine handlers left behind."""
        self._bridge.close()

    def _check_override(self, existing: ToolEntry, handler: Callable[..., Any], owner: str) -> None:
        module = getattr(handler, "__globals__", {}).get("__name__", "")
        if self._by_home:
            module = ".".join(module.split(".")[:2])
        if not module.startswith("hermes_plugins."):
            return
        # The opt-in is stored for the plugin's main module; on some releases it does not cover its submodules.
        if module == "hermes_plugins." + owner.replace("/", "__").replace("-", "_"):
            return
        _log.error(
            "Tool registration REJECTED: plugin %r attempted to override built-in tool %r (existing toolset %r) without"
            " operator opt-in. Set plugins.entries.<plugin_id>.allow_tool_override: true in config.yaml to allow it.",
            module,
            existing.name,
            existing.toolset,
        )
        raise PermissionError(
            f"Plugin module {module!r} cannot override built-in tool {existing.name!r} without operator opt-in"
            " (allow_tool_override)."
        )


def _check_schema(tool: str, schema: Any) -> None:
    if not isinstance(schema, dict):
        raise ValueError(f"Tool {tool!r}: schema must be a dict, got {type(schema).__name__}")
    parameters = schema.get("parameters")
    if parameters is not None and not isinstance(parameters, dict):
        kind = type(parameters).__name__
        raise ValueError(f"Tool {tool!r}: schema['parameters'] must be an object (JSON Schema dict), got {kind}")
