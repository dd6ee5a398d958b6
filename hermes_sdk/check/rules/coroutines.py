"""HS319: coroutines are awaited."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.names import Names, Resolved
from hermes_sdk.check.rule import Problem, Rules, example

if TYPE_CHECKING:
    from hermes_sdk.check.plugin import Plugin
    from hermes_sdk.check.source import Source

RULES = Rules()
rule = RULES.rule

_COROUTINE_METHODS = ("close", "send", "throw")
_VALUE_FUNCTIONS = frozenset(
    {
        *("bool", "dict", "float", "int", "len", "list", "print", "repr", "set", "sorted", "str", "sum", "tuple"),
        "json.dumps",
    }
)


def _command(call: str) -> str:
    """Return the source of a plugin whose command calls an async function."""
    return (
        "import asyncio\n\n\nasync def find(text):\n    return [text]\n\n\n"
        f"def show(text):\n    return {call}[0]\n\n\ndef register(ctx):\n    ctx.register_command('example', show)\n"
    )


@rule(
    "HS319",
    severity="warning",
    references=("https://github.com/vectorize-io/hindsight/issues/862",),
    bad=example(_command("find(text)")),
    good=example(_command("asyncio.run(find(text))")),
)
def coroutine_is_not_awaited(plugin: Plugin) -> Iterator[Problem]:
    """coroutine is not awaited

    Calling an async function only creates a coroutine: its body does not run, and the coroutine is not its result.

    Fix: Write `await` before the call, or use `asyncio.run` in a plain function.
    """
    sources = [source for source in plugin.sources if source.tree]
    functions = {node.name for source in sources for node in source.nodes(ast.AsyncFunctionDef)}
    names = Names(plugin)
    for source in sources if functions else ():
        for call in source.nodes(ast.Call):
            is_named = getattr(call.func, "attr", getattr(call.func, "id", "")) in functions
            if is_named and _uses_value(source, call) and (found := _find_async(names, source, call.func)):
                path, line, _ = found.source.place(found.node)
                message = f"the async function at {path}:{line} is called here, and its coroutine is not awaited"
                yield Problem(message, *source.place(call))


def _uses_value(source: Source, call: ast.Call) -> bool:
    """Return whether the result of a call is dropped, or used in a way that a coroutine does not support."""
    match source.parent(call):
        case ast.Attribute(attr=name):
            return name not in _COROUTINE_METHODS and not name.startswith("cr_")
        case ast.Subscript(value=value):
            return value is call
        case ast.For(iter=iterated):
            return iterated is call
        case ast.Call(func=function):
            return source.dotted_name(function) in _VALUE_FUNCTIONS
        case ast.Expr() | ast.FormattedValue():
            return True
        case _:
            return False


def _find_async(names: Names, source: Source, function: ast.expr) -> Resolved | None:
    """Find the async function of the plugin to which an expression refers; None if that is not certain."""
    found = names.resolve(source, function)
    if found is None and isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        found = _find_method(names, source, function.value, function.attr)
    if found is None or not isinstance(found.node, ast.AsyncFunctionDef):
        return None
    plain = {"classmethod", "staticmethod"}
    is_plain = all(found.source.dotted_name(decorator) in plain for decorator in found.node.decorator_list)
    is_generator = any(isinstance(node, ast.Yield) for node in found.source.own_nodes(found.node))
    return found if is_plain and not is_generator else None


def _find_method(names: Names, source: Source, owner: ast.Name, name: str) -> Resolved | None:
    """Find a method of a class, given the name of the class or ``self``."""
    function = source.function(owner)
    around = source.parent(function) if function else None
    if isinstance(around, ast.ClassDef) and owner.id in ("self", "cls"):
        found = Resolved(source, around)
    elif (named := names.resolve(source, owner)) and isinstance(named.node, ast.ClassDef):
        found = named
    else:
        return None
    assert isinstance(found.node, ast.ClassDef)
    methods = [one for one in found.node.body if getattr(one, "name", "") == name]
    return Resolved(found.source, methods[0]) if len(methods) == 1 else None
