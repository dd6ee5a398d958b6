"""Finds values that come from a model, a user or the network, within one function."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import Function, Source

_REGISTRARS = (".register_tool", ".register_command", ".register_hook", ".register_middleware", ".register")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

REQUESTS = (
    *(f"{module}.{name}" for module in ("requests", "httpx") for name in ("get", "post", "put", "patch", "request")),
    "urllib.request.urlopen",
    "urllib.request.urlretrieve",
)
"""Dotted names of functions that send network requests."""


def find_handlers(plugin: Plugin) -> set[str]:
    """Find the names of registered functions, to which the host passes text from models and users."""
    given = (
        value
        for source in plugin.sources
        for call in source.calls(*_REGISTRARS)
        for value in (*call.args, *(word.value for word in call.keywords))
    )
    return {name for value in given if (name := getattr(value, "id", getattr(value, "attr", None)))}


def is_untrusted(source: Source, value: ast.expr, handlers: Collection[str]) -> bool:
    """Return whether a value depends on an argument of a registered function."""
    parameters: set[str] = set()
    for around in source.ancestors(value):
        if isinstance(around, _FUNCTIONS) and _is_registered(source, around, handlers):
            given = around.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, [given.vararg, given.kwarg])]
            parameters |= {one.arg for one in named} - {"self", "ctx"}
    return any(isinstance(node, ast.Name) and node.id in parameters for node in trace(source, value))


def is_downloaded(source: Source, value: ast.expr) -> bool:
    """Return whether a value depends on a network response."""
    calls = (node for node in trace(source, value) if isinstance(node, ast.Call))
    return any(source.dotted_name(call.func) in REQUESTS for call in calls)


def trace(source: Source, value: ast.expr) -> Iterator[ast.AST]:
    """Walk an expression, and the values of its variables in the same function or in the module."""
    pending: list[ast.AST] = [value]
    seen: set[str] = set()
    while pending:
        for node in ast.walk(pending.pop()):
            yield node
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                pending += _find_values(source, node)


def _find_values(source: Source, name: ast.Name) -> list[ast.expr]:
    """Find the values of a variable in assignments and ``with`` statements."""
    around = source.function(name)
    assigned: list[tuple[ast.stmt, ast.expr]] = [(one, one.value) for one in source.assignments(name.id)]
    for block in source.nodes(ast.With):
        for item in block.items:
            if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == name.id:
                assigned.append((block, item.context_expr))
    own = [value for node, value in assigned if source.function(node) is around]
    return own or [value for node, value in assigned if source.function(node) is None]


def _is_registered(source: Source, function: Function, handlers: Collection[str]) -> bool:
    if not isinstance(function, ast.Lambda):
        return function.name in handlers
    call = source.parent(function)
    if isinstance(call, ast.keyword):
        call = source.parent(call)
    return isinstance(call, ast.Call) and f".{source.dotted_name(call.func).rpartition('.')[2]}" in _REGISTRARS
