"""Finds the parts of the host that a plugin's code uses."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import Function, Source
from hermes_sdk.contract.floor import Uses

_PROBES = ("hasattr", "getattr")


def collect_uses(plugin: Plugin) -> Uses:
    """Collect the members of ``ctx``, their keyword arguments, hooks, middleware and host modules that a plugin needs.

    Optional uses are omitted: members that it looks for with ``hasattr``, and imports in a ``try``.
    """
    live = [source for source in plugin.sources if source.importable]
    # The memory loader has its own `ctx`, with the same four methods in every release.
    is_memory = plugin.fields.get("kind") == "exclusive"
    return Uses(
        context=set() if is_memory else {node.attr for _, node in find_context_members(plugin)},
        hooks={name for source in live for name in _find_literals(source, ".register_hook")},
        middleware={name for source in live for name in _find_literals(source, ".register_middleware")},
        modules={name for source in live for name in _find_modules(source)},
        keywords=set() if is_memory else set(_find_keywords(plugin)),
    )


def find_context_members(plugin: Plugin) -> Iterator[tuple[Source, ast.Attribute]]:
    """Find the members of ``ctx`` that a plugin reads without ever probing for them."""
    live = [source for source in plugin.sources if source.importable]
    probed = {
        call.args[1].value
        for source in live
        for call in source.calls(*_PROBES)
        if len(call.args) > 1 and isinstance(call.args[1], ast.Constant)
    }
    for source in live:
        yield from ((source, node) for node in _find_members(source) if node.attr not in probed)


def _find_members(source: Source) -> Iterator[ast.Attribute]:
    if "ctx." not in source.text:
        return
    for node in source.nodes(ast.Attribute):
        owner = node.value
        is_context = (isinstance(owner, ast.Name) and owner.id == "ctx") or (
            isinstance(owner, ast.Attribute) and owner.attr in ("ctx", "_ctx")
        )
        if not is_context or _is_tried(source, node):
            continue
        if node.attr.startswith("register_") or (isinstance(owner, ast.Name) and _is_in_register(source, node)):
            yield node


def _find_keywords(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """Yield the methods of ``ctx`` that a plugin calls, with each keyword argument."""
    for source, node in find_context_members(plugin):
        call = source.parent(node)
        if isinstance(call, ast.Call) and call.func is node:
            yield from ((node.attr, one.arg) for one in call.keywords if one.arg)


def _is_in_register(source: Source, node: ast.AST) -> bool:
    """Return whether ``ctx`` at a node is the parameter of ``register``, not an unrelated variable."""
    functions = (one for one in source.ancestors(node) if isinstance(one, Function) and _has_context(one))
    around = next(functions, None)
    return isinstance(around, ast.FunctionDef) and around.name == "register"


def _has_context(function: Function) -> bool:
    arguments = function.args
    return any(one.arg == "ctx" for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def _is_tried(source: Source, node: ast.AST) -> bool:
    return any(isinstance(around, ast.Try) and around.handlers for around in source.ancestors(node))


def _find_literals(source: Source, call: str) -> Iterator[str]:
    if call[1:] not in source.text:
        return
    for node in source.calls(call):
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and not _is_tried(source, node):
            yield first.value


def _find_modules(source: Source) -> Iterator[str]:
    for one in source.imports:
        top = one.module.partition(".")[0]  # Empty for a relative import.
        is_foreign = top and top not in sys.stdlib_module_names
        if is_foreign and source.runs_at_import(one.node) and not _is_tried(source, one.node):
            yield one.module
