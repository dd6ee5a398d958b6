"""Finds where a plugin defines or registers what a message is about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_REFUSES = re.compile(r"\b[\w.<>]*\w\(\)(?= (?:takes|got|missing) )")
"""How Python names a function that was called with other arguments than it takes."""


def format_tool_place(plugin: Path, tool: Any) -> str:
    """Format where a plugin writes out the schema with the name of a tool; empty when it does not."""
    for file, tree in _parse(plugin):
        for node in ast.walk(tree):
            pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
            if any(getattr(key, "value", "") == "name" and getattr(one, "value", None) == tool for key, one in pairs):
                return f" at {file}:{node.lineno}"  # type: ignore[attr-defined]
    return ""


def format_call_place(plugin: Path, method: str) -> str:
    """Format where a plugin calls a method such as ``register_command``; empty unless there is only one such call."""
    found = [
        f" at {file}:{node.lineno}"
        for file, tree in _parse(plugin)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
    ]
    return found[0] if len(found) == 1 else ""


def is_written(plugin: Path, text: str) -> bool:
    """Return whether a plugin writes a text out, in other strings than docstrings."""
    for _, tree in _parse(plugin):
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        written = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documents)
        if any(isinstance(node.value, str) and text in node.value for node in written):
            return True
    return False


def locate_functions(message: str, plugin: Path) -> str:
    """Add to a message where the plugin defines each function that refused its arguments, if only one has the name."""
    if not _REFUSES.search(message):
        return message
    defined = [(name, f"{file}:{line}") for file, tree in _parse(plugin) for name, line in _list_functions(tree)]

    def add_place(match: re.Match[str]) -> str:
        found = [place for name, place in defined if f".{name}()".endswith(f".{match[0]}")]
        return f"{match[0]} at {found[0]}" if len(found) == 1 else match[0]

    return _REFUSES.sub(add_place, message)


def _list_functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Iterate over the functions in a part of a module: the qualified name and the line of each."""
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + child.name, child.lineno
            inner = f"{prefix}{child.name}.<locals>."
        elif isinstance(child, ast.ClassDef):
            inner = f"{prefix}{child.name}."
        yield from _list_functions(child, inner)


def _parse(plugin: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Parse the modules of a plugin, besides those that are not valid."""
    for file in sorted(plugin.rglob("*.py")):
        try:
            yield file, ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
