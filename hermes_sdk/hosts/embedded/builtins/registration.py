"""Registry entries of the built-in tools; unmodelled tools only have a name and a toolset."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.builtins import BUILTINS, ToolContext
from hermes_sdk.hosts.embedded.tools.definitions import BUILTIN, ToolEntry
from hermes_sdk.hosts.embedded.tools.toolsets import is_conditional, is_offered

_ALWAYS_OFFERED = frozenset(
    {
        "clarify",
        "delegate_task",
        "execute_code",
        "memory",
        "patch",
        "process",
        "process_manage",
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
        "todo_list",
        "write_file",
    }
)
"""Built-in tools that a host offers without setup; the others need a key, a browser or an application."""

_UNMODELLED = {"description": "A built-in tool of Hermes."}
"""Schema of built-in tools that are offered but not modelled."""


@functools.cache
def builtin_entries(contract: Contract) -> Mapping[str, ToolEntry]:
    """Return the entries of all built-in tools (about eighty), which are completed on first use."""
    return {
        name: ToolEntry(
            name=name,
            toolset=toolset,
            schema=_UNMODELLED,
            handler=_lacks,
            check_fn=None if name in _ALWAYS_OFFERED else _lacks,
            requires_env=[],
            is_async=False,
            description="",
            emoji="",
            owner=BUILTIN,
            complete=_complete if name in BUILTINS else _complete_unmodelled,
        )
        for name, toolset in contract.tools.items()
    }


def _complete(entry: ToolEntry, context: ToolContext) -> ToolEntry:
    """Add the schema and the handler of a modelled tool, which imports its module."""
    tool = BUILTINS[entry.name]

    def handle(args: dict[str, Any], **kwargs: Any) -> Any:
        tool.require_modelled(args, context.state)
        result = tool.run(args, context.for_call(kwargs))
        if isinstance(result, str):
            context.registrations.redaction_patterns.require_no_match(result)
        return result

    entry = entry._replace(schema=tool.schema, handler=handle, is_async=tool.is_async, complete=None)
    if check := tool.check:
        entry = entry._replace(check_fn=functools.wraps(check)(lambda: check(context)))
    return entry


def _complete_unmodelled(entry: ToolEntry, context: ToolContext) -> ToolEntry:
    """Add parameter names, and a handler that raises NotSupported, to the entry of an unmodelled tool."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise context.state.unsupported(
            f"run the built-in tool {entry.name!r}",
            fix="Run this test on the real host (--hermes-host=real), or register a tool of your own.",
        )

    parameters = context.state.contract.tool_parameters.get(entry.name, {})
    properties: dict[str, Any] = {name: {} for name in parameters if "." not in name}
    schema = {**entry.schema, "parameters": {"type": "object", "properties": properties}}
    if is_conditional(entry.toolset):
        check = functools.wraps(_lacks)(lambda: bool(is_offered(context.state, entry.name, entry.toolset)))
        return entry._replace(handler=refuse, schema=schema, check_fn=check, complete=None)
    return entry._replace(handler=refuse, schema=schema, complete=None)


def _lacks(*_: Any, **__: Any) -> bool:
    """Report a requirement as missing, as always in the embedded host."""
    return False
