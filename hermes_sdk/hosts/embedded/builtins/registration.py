"""Registry entries of the built-in tools; those that are not modelled have only a name and a toolset."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NoReturn

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.builtins import BUILTINS, ToolContext
from hermes_sdk.hosts.embedded.tools.entry import BUILTIN, ToolEntry
from hermes_sdk.hosts.interface import NotSupported

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
"""The built-in tools that a host offers without any setup; the others need a key, a browser or an application."""

_UNMODELLED = {"description": "A built-in tool of Hermes."}
"""The schema of a built-in tool that a model is offered although it cannot be called here."""


def entries(context: ToolContext, contract: Contract) -> dict[str, ToolEntry]:
    """Build the entries of a host."""
    return {
        name: entry._replace(complete=functools.partial(_complete, entry, context)) if name in BUILTINS else entry
        for name, entry in _build_unmodelled(contract).items()
    }


def _complete(entry: ToolEntry, context: ToolContext) -> ToolEntry:
    """Add the schema and the handler of a modelled tool, which imports its module."""
    tool = BUILTINS[entry.name]

    def handle(args: dict[str, Any], **kwargs: Any) -> Any:
        return tool.run(args, context.for_call(kwargs))

    entry = entry._replace(schema=tool.schema, handler=handle, is_async=tool.is_async, complete=None)
    if check := tool.check:
        entry = entry._replace(check_fn=functools.wraps(check)(lambda: check(context)))
    return entry


@functools.cache
def _build_unmodelled(contract: Contract) -> Mapping[str, ToolEntry]:
    """Build the entries of all built-in tools, about eighty, as if none were modelled; cached for each release."""
    return {
        name: ToolEntry(
            name=name,
            toolset=toolset,
            schema=_UNMODELLED,
            handler=functools.partial(_refuse, name),
            check_fn=None if name in _ALWAYS else _lacks,
            requires_env=[],
            is_async=False,
            description="",
            emoji="",
            owner=BUILTIN,
        )
        for name, toolset in contract.tools.items()
    }


def _lacks() -> bool:
    """Report that a requirement is missing, as it always is in this host."""
    return False


def _refuse(name: str, args: Mapping[str, Any], **kwargs: Any) -> NoReturn:  # noqa: ARG001
    raise NotSupported(
        f"run the built-in tool {name!r}",
        "embedded",
        fix="Run this test on the real host (--hermes-host=real), or register a tool of your own.",
    )
