"""HS3xx: handlers return text, do not block, and leave the host running."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import BLOCKING, Definition, find_definition
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule

_HARD_EXITS = frozenset({"os._exit", "os.abort"})
_EXITS = frozenset({"sys.exit", "exit", "quit", *_HARD_EXITS})
_AGENT_TOOLS = ("delegate_task", "memory", "session_search", "todo")
_MUTABLE = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
_MUTABLE_TYPES = frozenset({"dict", "list", "set", "collections.defaultdict", "collections.deque"})
_MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "remove", "setdefault", "update"}
)
_WRONG_RESULTS = (ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def _plugin(body: str, *, start: str = "import json\n", head: str = "def handle(args, **kwargs):") -> Example:
    """Return a plugin whose handler has the given body."""
    schema = '{"description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
    is_async = ", is_async=True" if head.startswith("async") else ""
    call = f'ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle{is_async})'
    source = f"{start}\nSCHEMA = {schema}\n\n\n{head}\n{body}\n\n\ndef register(ctx):\n    {call}\n"
    return example(source, manifest=f"{MANIFEST}provides_tools: [roll]\n")


_GOOD = _plugin('    return json.dumps({"sides": 6})')


@rule(
    "HS312",
    severity="warning",
    needs=("async def",),
    references=("C22", "https://github.com/NousResearch/hermes-agent/issues/105223"),
    bad=_plugin("    time.sleep(1)\n    return '4'", start="import time\n", head="async def handle(args, **kwargs):"),
    good=_plugin(
        "    await asyncio.sleep(1)\n    return '4'", start="import asyncio\n", head="async def handle(args, **kwargs):"
    ),
)
def blocks_the_loop(source: Source) -> Iterator[Problem]:
    """async function blocks

    It blocks the event loop and, in the gateway, every other chat.

    Fix: Await a non-blocking call, or use `asyncio.to_thread`.
    """
    for call in source.calls(*BLOCKING):
        around = source.function(call)
        if isinstance(around, ast.AsyncFunctionDef):
            message = f"`{around.name}` is async, and {source.dotted_name(call.func)} blocks"
            yield Problem(message, *source.place(call))


@rule("HS313", call="register_tool", references=("C23",), bad=_plugin('    return {"sides": 6}', start=""), good=_GOOD)
def result_is_not_text(registration: Registration, load: Load) -> Iterator[Problem]:
    """handler does not return text

    The host accepts only text: the model gets a tool_result_contract error instead of the result.

    Fix: Return json.dumps(…) on every path.
    """
    found = find_definition(load, registration)
    if found is None or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in found.nodes()):
        return
    name = registration["name"]
    for value, node in found.results():
        kind = _describe_wrong_type(value)
        if kind:
            message = f"the handler of tool '{name}' returns {kind} here"
            is_error = load.contract.behaviour.tool_result_contract
            yield Problem(message, *found.source.place(node), severity=None if is_error else "warning")
    if not isinstance(found.node, ast.Lambda) and not _is_terminating(found.node.body):
        message = f"the handler of tool '{name}' may end without a result"
        yield Problem(message, *found.source.place(found.node), severity="warning")


def _describe_wrong_type(value: ast.expr | None) -> str | None:
    """Describe a returned value that is neither text nor a result with images; None if that is not certain."""
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return "None"
    if isinstance(value, ast.Constant) and not isinstance(value.value, str):
        return f"a value of type {type(value.value).__name__}"
    if isinstance(value, ast.Dict) and any(key is None or _is_image_key(key) for key in value.keys):
        return None
    return f"a {type(value).__name__.removesuffix('Comp').lower()}" if isinstance(value, _WRONG_RESULTS) else None


def _is_image_key(key: ast.expr) -> bool:
    return isinstance(key, ast.Constant) and key.value == "_multimodal"


def _is_terminating(body: Sequence[ast.stmt]) -> bool:
    """Return whether no path reaches the end of a block: each returns, raises or loops forever."""
    last = body[-1] if body else None
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return _is_terminating(last.body) and _is_terminating(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return _is_terminating(last.body)
    if isinstance(last, ast.Try | ast.TryStar):
        done = _is_terminating(last.orelse) or _is_terminating(last.body)
        return _is_terminating(last.finalbody) or (done and all(_is_terminating(one.body) for one in last.handlers))
    if isinstance(last, ast.While):
        endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return endless and not any(isinstance(node, ast.Break) for node in ast.walk(last))
    if isinstance(last, ast.Match):
        takes_all = any(one.guard is None and isinstance(one.pattern, ast.MatchAs) for one in last.cases)
        return takes_all and all(_is_terminating(one.body) for one in last.cases)
    return False


@rule(
    "HS314",
    call="register_tool register_hook register_command",
    references=("C24",),
    bad=_plugin("    sys.exit(1)", start="import sys\n"),
    good=_GOOD,
)
def ends_the_host(registration: Registration, load: Load) -> Iterator[Problem]:
    """handler ends the host

    The host catches only ordinary exceptions: an exit in a handler, hook or slash command ends its process. Since
    0.21.4, `sys.exit` in a hook callback only makes the callback fail.

    Fix: Return an error as text.
    """
    found = find_definition(load, registration)
    is_swallowed = registration["call"] == "register_hook" and load.contract.behaviour.exits_swallowed
    for node in found.nodes() if found else ():
        assert found is not None
        name = _find_exit(found.source, node)
        if name and is_swallowed and name not in _HARD_EXITS:
            yield Problem("this makes the callback fail", *found.source.place(node), severity="warning")
        elif name:
            yield Problem("this ends the host's process", *found.source.place(node))


def _find_exit(source: Source, node: ast.AST) -> str | None:
    """Return the dotted name of a call or an exception that ends the process; None for other nodes."""
    if isinstance(node, ast.Call):
        name = source.dotted_name(node.func)
        return name if name in _EXITS else None
    raised = node.exc if isinstance(node, ast.Raise) else None
    name = source.dotted_name(raised.func if isinstance(raised, ast.Call) else raised)
    return name if name == "SystemExit" else None


@rule(
    "HS315",
    severity="warning",
    call="register_tool",
    references=("C24",),
    bad=_plugin('    raise ValueError("sides is missing")', start=""),
    good=_plugin('    return json.dumps({"error": "sides is missing: give a number"})'),
)
def exception_escapes(registration: Registration, load: Load) -> Iterator[Problem]:
    """handler raises

    The model gets a bare [TOOL_ERROR] line, cut at 2,000 characters, without advice.

    Fix: Return json.dumps({"error": …}) with a message that helps the model.
    """
    found = find_definition(load, registration)
    for node in found.nodes() if found else ():
        assert found is not None
        if isinstance(node, ast.Raise) and not _find_exit(found.source, node) and not _is_caught(node, found):
            message = f"the handler of tool '{registration['name']}' raises"
            yield Problem(message, *found.source.place(node))


def _is_caught(node: ast.AST, found: Definition) -> bool:
    inside: ast.AST = node
    for around in found.source.ancestors(node):
        if around is found.node:
            break
        if isinstance(around, ast.Try) and around.handlers and inside in around.body:
            return True
        inside = around
    return False


@rule(
    "HS316",
    severity="warning",
    needs=("dispatch_tool", "_cli_ref"),
    references=("C25", "F14", "https://github.com/msitarzewski/agency-agents/pull/803"),
    bad=_plugin('    return ctx.dispatch_tool("delegate_task", {"goal": "roll"})', start="ctx = None\n"),
    good=_GOOD,
)
def works_only_in_command_line(source: Source) -> Iterator[Problem]:
    """call works only in the interactive command line

    The gateway and scheduled runs have no interactive agent: the call returns an error as its text result.

    Fix: Check the result for an error, and provide a fallback.
    """
    for call in source.calls(".dispatch_tool"):
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Constant) and first.value in _AGENT_TOOLS:
            message = f"'{first.value}' needs the agent of the interactive command line"
            yield Problem(message, *source.place(call))
    for node in source.nodes(ast.Attribute):
        if node.attr == "_cli_ref":
            yield Problem("`_cli_ref` is None outside of the interactive command line", *source.place(node))


@rule(
    "HS317",
    severity="warning",
    call="register_tool register_hook register_command",
    references=("C19",),
    bad=_plugin(
        '    rolls.append(4)\n    return json.dumps({"rolls": rolls})', head="def handle(args, rolls=[], **kwargs):"
    ),
    good=_GOOD,
)
def default_is_shared(registration: Registration, load: Load) -> Iterator[Problem]:
    """default of a parameter is changed

    Python creates a default once, and the host never passes the parameter: all sessions share its contents.

    Fix: Create the object in the function, or keep one per session_id.
    """
    found = find_definition(load, registration)
    changed = {_find_changed(node) for node in found.nodes()} if found else set()
    for name, default in found.defaults() if found else ():
        assert found is not None
        made = default.func if isinstance(default, ast.Call) else None
        if name in changed and (isinstance(default, _MUTABLE) or found.source.dotted_name(made) in _MUTABLE_TYPES):
            message = f"all sessions share the default of '{name}', and this function changes it"
            yield Problem(message, *found.source.place(default))


def _find_changed(node: ast.AST) -> str | None:
    """Return the name of the object that a node changes in place."""
    target: ast.AST | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        target = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
        target = node.func.value
    elif isinstance(node, ast.AugAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else None
