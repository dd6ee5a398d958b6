"""The entries of the host's own tools in the registry; those that are not modelled have a name and a toolset only."""

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
"""The built-in tools that a host offers with nothing set up; the others want a key, a browser, an application."""

_UNMODELLED = {"description": "A built-in tool of Hermes."}
"""The schema of a built-in tool that a model is offered although it cannot be called here."""


def entries(context: ToolContext, contract: Contract) -> dict[str, ToolEntry]:
    """Make the entries of a host.

    Args:
        context: What the tools may use of the host.
        contract: The release.
    """
    modelled = {
        name: entry._replace(complete=functools.partial(_completed, entry, context))
        for name, entry in _unmodelled_entries(contract).items()
        if name in BUILTINS
    }
    return {**_unmodelled_entries(contract), **modelled}


def _completed(entry: ToolEntry, context: ToolContext) -> ToolEntry:
    """Give an entry what its tool answers, which imports the module of the tool."""
    tool = BUILTINS[entry.name]

    def handle(args: dict[str, Any], **kwargs: Any) -> Any:
        return tool.run(args, context.for_call(kwargs))

    entry = entry._replace(schema=tool.schema, handler=handle, is_async=tool.is_async, complete=None)
    if check := tool.check:
        entry = entry._replace(check_fn=functools.wraps(check)(lambda: check(context)))
    return entry


@functools.cache
def _unmodelled_entries(contract: Contract) -> Mapping[str, ToolEntry]:
    """The entries, made once for each release: some eighty that every host starts with."""
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
    """Check a built-in tool that wants what this host never has."""
    return False


def _refuse(name: str, args: Mapping[str, Any], **kwargs: Any) -> NoReturn:  # noqa: ARG001
    raise NotSupported(
        f"run the built-in tool {name!r}",
        "embedded",
        fix="Run this test on the real host (--hermes-host=real), or register a tool of your own.",
    )
