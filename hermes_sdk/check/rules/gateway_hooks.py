"""HS742, HS743: gateway hooks that a plugin ships work where its users copy them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example, Problem, Rules, example

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_HANDLER = "def handle(event_type, context):\n    print(event_type)\n"


def _gateway(hook: str = "name: log\nevents: [agent:start]\n", handler: str = _HANDLER) -> Example:
    return example(files={"hooks/log/HOOK.yaml": hook, "hooks/log/handler.py": handler})


@rule(
    "HS742", references=("H13", "H14", "H15", "H16"), bad=_gateway("name: log\nevents: agent:start\n"), good=_gateway()
)
def gateway_hook_not_loaded(plugin: Plugin) -> Iterator[Problem]:
    """gateway hook is not loaded

    The gateway at most prints this to standard output and continues without the hook.

    Fix: Give the directory a HOOK.yaml with a list of events, and a handler.py with `handle(event_type, context)`.
    """
    for file in plugin.files:
        if file.name.lower() in ("hook.yaml", "hook.yml"):
            handler = file.with_name("handler.py")
            for where, problem in (*_judge_hook(plugin, file), *_judge_handler(plugin, handler)):
                yield Problem(problem, plugin.relative(where if where.is_file() else file))


def _judge_hook(plugin: Plugin, file: Path) -> Iterator[tuple[Path, str]]:
    if file.name != "HOOK.yaml":
        yield file, f"the gateway reads HOOK.yaml, not {file.name}"
        return
    fields = plugin.read_yaml(file)
    events = fields.get("events") if isinstance(fields, Mapping) else None
    if not isinstance(fields, Mapping):
        yield file, "HOOK.yaml is not a mapping"
    elif not events:
        yield file, "HOOK.yaml declares no events"
    elif isinstance(events, str):
        yield file, f"the gateway treats each character of '{events}' as an event: write a list"


def _judge_handler(plugin: Plugin, file: Path) -> Iterator[tuple[Path, str]]:
    source = next((source for source in plugin.sources if source.file == file), None)
    if source is None:
        yield file, "there is no handler.py next to HOOK.yaml"
    elif source.tree:
        names = {name for node in source.tree.body for name in _find_bindings(node)}
        if "handle" not in names:
            yield file, "handler.py has no `handle`"
        for node in source.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "handle":
                taken = len(node.args.posonlyargs) + len(node.args.args)
                if node.args.vararg is None and not taken - len(node.args.defaults) <= 2 <= taken:
                    yield file, "`handle` does not take the two arguments event_type and context"


def _find_bindings(node: ast.stmt) -> Iterator[str]:
    """Find the names that a statement at the top of a module may bind."""
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name
        elif isinstance(each, ast.alias):
            yield each.asname or each.name
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


@rule("HS743", references=("H16", "H18"), bad=_gateway("name: log\nevents: [agent:started]\n"), good=_gateway())
def unknown_gateway_event(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """gateway event does not exist

    The gateway loads the hook but never calls it for this event.

    Fix: Use an event of the release, or a whole group such as `agent:*`.
    """
    for file in plugin.files:
        fields = plugin.read_yaml(file) if file.name == "HOOK.yaml" else None
        events = fields.get("events") if isinstance(fields, Mapping) else None
        for event in events if isinstance(events, list) else ():
            if not _is_fired(str(event), contract):
                message = f"the gateway of Hermes {contract.release} has no event '{event}'"
                yield Problem(message, plugin.relative(file), _find_line(plugin.read(file), str(event)))


def _is_fired(event: str, contract: Contract) -> bool:
    known = list(contract.section("gateway_events"))
    groups = {name.partition(":")[0] for name in known}
    group, _, name = event.partition(":")
    return event in known or (group in groups and name == "*") or (group == "command" and name != "")


def _find_line(text: str, word: str) -> int:
    return next((number for number, line in enumerate(text.splitlines(), 1) if word in line), 1)
