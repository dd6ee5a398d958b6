"""The registry of tools: who holds a name, and what calling a handler gives (statements C1 to C9, C22 to C25)."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins import BUILTINS, Turnside
from hermes_sdk.hosts.embedded.tools.async_bridge import AsyncBridge
from hermes_sdk.hosts.embedded.tools.availability import Availability
from hermes_sdk.hosts.embedded.tools.definitions import SchemaRules, definitions
from hermes_sdk.hosts.embedded.tools.entry import BUILTIN, ToolEntry
from hermes_sdk.hosts.embedded.tools.results import contract_error, keeps_contract, sanitised
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface.host import OnSwallowed

_log = logging.getLogger("tools.registry")


class ToolRegistry:
    """The tools of the host and of all plugins, by name.

    Args:
        contract: What the release promises; it names the built-in tools and how results are checked.
        on_swallowed: Called with a place and the exception whenever the host hides one of a plugin.
        recording: Where the calls of callbacks are recorded.

    Attributes:
        entries: The tools by name, in the order in which the names were first taken; built-in tools without a schema
            and a handler until `get` is asked for them.
        turnside: What the built-in tools may use; whoever registers them sets it.
    """

    turnside: Turnside

    def __init__(self, contract: Contract, on_swallowed: OnSwallowed, recording: Recording | None = None) -> None:
        behaviour = contract.behaviour
        self.entries: dict[str, ToolEntry] = {}
        self._builtins = _builtins(contract)
        self._override_gated = behaviour.override_gated
        self._checks_results = behaviour.tool_result_contract
        self._marks_errors = behaviour.tool_error_prefix
        self._advice = _rejection_advice(contract)
        self._on_swallowed = on_swallowed
        self._recording = recording or Recording()
        self._bridge = AsyncBridge(carries_context=behaviour.async_context_copied)
        self._available = Availability(
            cached=not behaviour.check_fn_uncached,
            grace=behaviour.check_fn_grace,
            on_swallowed=on_swallowed,
        )
        self._schema_rules = SchemaRules.of(behaviour)

    def register(
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
    ) -> None:
        """Keep a tool, or log why its name is taken.

        The same name in the same toolset replaces the older entry in silence; in another toolset the first to come
        keeps it unless `override` says otherwise.

        Raises:
            AttributeError: The schema is no mapping, and no description takes the place of the schema's.
            PermissionError: An override whose handler is defined elsewhere than in the plugin's main module.
        """
        taken = self.entries.get(name)
        if taken is not None and taken.toolset != toolset and not _both_from_mcp(taken.toolset, toolset):
            if not override:
                _log.error(
                    "Tool registration REJECTED: '%s' (toolset '%s') would shadow existing tool from toolset '%s'. %s",
                    name,
                    toolset,
                    taken.toolset,
                    self._advice,
                )
                return
            self._check_override(taken, handler, owner)
            _log.info(
                "Tool '%s': toolset '%s' overriding existing toolset '%s' (override=True opt-in)",
                name,
                toolset,
                taken.toolset,
            )
        self.entries[name] = ToolEntry(
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

    def register_builtins(self) -> None:
        """Register the host's own tools, as a chat does once the plugins are loaded (statement C5)."""
        for name, entry in self._builtins.items():
            if name in self.entries:
                self.register(name=name, toolset=entry.toolset, schema={}, handler=_never_called, owner=BUILTIN)
            else:
                self.entries[name] = entry

    def get(self, name: str) -> ToolEntry | None:
        """The tool of a name; one of the host's own comes with what it answers, if that is modelled."""
        entry = self.entries.get(name)
        if entry is None or entry.handler is not _never_called or name not in BUILTINS:
            return entry
        tool = BUILTINS[name]

        def handle(args: dict[str, Any], **kwargs: Any) -> Any:
            return tool.run(args, self.turnside.of(kwargs))

        entry = entry._replace(schema=tool.schema(name), handler=handle, is_async=tool.is_async)
        if check := tool.check:
            entry = entry._replace(check_fn=functools.wraps(check)(lambda: check(self.turnside)))
        self.entries[name] = entry
        return entry

    def is_of_plugin(self, name: str) -> bool:
        """Tell whether a plugin holds a name; a built-in tool takes its name back in its own toolset (C3)."""
        entry = self.entries.get(name)
        return entry is not None and entry.owner != BUILTIN

    def definitions(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """Describe tools as a model receives them; unknown names and tools that are not available are left out."""
        entries = (self.get(name) for name in names)
        return definitions(filter(None, entries), self._available, self._schema_rules)

    def dispatch(self, name: str, args: Any, **kwargs: Any) -> Any:
        """Call a handler and return what the host makes of its result; an Exception becomes an error result.

        This is all that ``ctx.dispatch_tool`` does: no hooks, no middleware, no coercion.

        Raises:
            HermesSdkError: The tool is one of the host's own that are not modelled.
        """
        entry = self.get(name)
        if entry is None:
            return json.dumps({"error": f"Unknown tool: {name}"})
        if entry.handler is _never_called:
            raise HermesSdkError(
                f"The embedded host does not run the built-in tool {name!r}.",
                fix="Run this test on the real host (--hermes-host=real), or register a tool of your own.",
            )
        try:
            handler = entry.handler
            if self._recording.active and entry.owner != BUILTIN:
                handler = self._recording.wrap("tool", name, handler)
            result = handler(args, **kwargs)
            if entry.is_async:
                result = self._bridge.run(result)
        except HermesSdkError:
            raise
        except Exception as error:
            _log.exception("Tool %s dispatch error: %s", name, error)
            self._on_swallowed(f"tool {name}", error)
            return json.dumps({"error": self.error_text(f"Tool execution failed: {type(error).__name__}: {error}")})
        if self._checks_results and not keeps_contract(result):
            _log.error("Tool %s handler returned unsupported result type: %s", name, type(result).__name__)
            return contract_error(name, result)
        return result

    def error_text(self, message: str) -> str:
        """Word an error as the release shows it to the model."""
        return sanitised(message) if self._marks_errors else message

    def close(self) -> None:
        """Stop what coroutine handlers left running."""
        self._bridge.close()

    def _check_override(self, taken: ToolEntry, handler: Callable[..., Any], owner: str) -> None:
        module = getattr(handler, "__globals__", {}).get("__name__", "")
        if not self._override_gated or not module.startswith("hermes_plugins."):
            return
        # The operator's consent is kept under the plugin's main module; a handler of a submodule does not have it.
        if module == "hermes_plugins." + owner.replace("/", "__").replace("-", "_"):
            return
        _log.error(
            "Tool registration REJECTED: plugin %r attempted to override built-in tool %r (existing toolset %r) without"
            " operator opt-in. Set plugins.entries.<plugin_id>.allow_tool_override: true in config.yaml to allow it.",
            module,
            taken.name,
            taken.toolset,
        )
        raise PermissionError(
            f"Plugin module {module!r} cannot override built-in tool {taken.name!r} without operator opt-in"
            " (allow_tool_override)."
        )


_ALWAYS = frozenset(
    {
        "clarify",
        "delegate_task",
        "execute_code",
        "memory",
        "patch",
        "process",
        "project_create",
        "project_list",
        "project_switch",
        "read_file",
        "search_files",
        "session_search",
        "skill_manage",
        "skill_view",
        "skills_list",
        "terminal",
        "todo",
        "write_file",
    }
)
"""The built-in tools that a host offers with nothing set up; the others want a key, a browser, an application."""

_UNMODELLED = {"description": "A built-in tool of Hermes."}
"""The schema of a built-in tool that a model is offered although it cannot be called here."""


@functools.cache
def _builtins(contract: Contract) -> Mapping[str, ToolEntry]:
    """The host's own tools, made once for each release: some eighty that every host starts with."""
    return {
        name: ToolEntry(
            name, toolset, _UNMODELLED, _never_called, None if name in _ALWAYS else _lacks, [], False, "", "", BUILTIN
        )
        for name, toolset in contract.tools.items()
    }


@functools.cache
def _rejection_advice(contract: Contract) -> str:
    if any(parameter.name == "override" for parameter in contract.context["register_tool"].parameters):
        return (
            "Pass override=True to register() if the replacement is intentional, or deregister the existing tool first."
        )
    return "Deregister the existing tool first if this is intentional."


def _both_from_mcp(one: str, other: str) -> bool:
    return one.startswith("mcp-") and other.startswith("mcp-")


def _lacks() -> bool:
    """Check a built-in tool that wants what this host never has."""
    return False


def _never_called(args: Mapping[str, Any], **kwargs: Any) -> Any:
    """Stand in for the handler of a built-in tool; `ToolRegistry.dispatch` answers before it is reached."""
    raise NotImplementedError
