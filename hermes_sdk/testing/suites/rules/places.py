"""Places in a plugin's source code, formatted for messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef

_REFUSES = re.compile(r"\b(?P<name>[\w.<>]*\w)\(\)(?= (?P<why>takes|got|missing) (?P<said>[^;\n]*))")
"""Python's message for a call with wrong arguments."""


def format_tool_place(plugin: Path, tool: Any) -> str:
    """Format the place of the schema with the name of a tool; empty if there is no literal schema."""
    for file, tree in _parse(plugin):
        for node in ast.walk(tree):
            pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
            if any(getattr(key, "value", "") == "name" and getattr(one, "value", None) == tool for key, one in pairs):
                return f" at {file}:{node.lineno}"  # type: ignore[attr-defined]
    return ""


def format_call_place(plugin: Path, method: str) -> str:
    """Format the place of the only call of a method such as ``register_command``; empty if there are several."""
    found = [
        f" at {file}:{node.lineno}"
        for file, tree in _parse(plugin)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
    ]
    return found[0] if len(found) == 1 else ""


def is_written(plugin: Path, text: str) -> bool:
    """Return whether a plugin contains a text in string literals other than docstrings."""
    for _, tree in _parse(plugin):
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        written = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
        if any(isinstance(node.value, str) and text in node.value for node in written):
            return True
    return False


def locate_functions(message: str, plugin: Path) -> str:
    """Add to a message the definition of each function that rejected its arguments, if it is unambiguous."""
    if not _REFUSES.search(message):
        return message
    defined = [(name, file, node) for file, tree in _parse(plugin) for name, node in _list_functions(tree)]

    def add_place(match: re.Match[str]) -> str:
        named = [(file, node) for name, file, node in defined if f".{name}".endswith(f".{match['name']}")]
        found = [f"{file}:{node.lineno}" for file, node in named if _refuses(node, match["why"], match["said"])]
        return f"{match[0]} at {found[0]}" if len(found) == 1 else match[0]

    return _REFUSES.sub(add_place, message)


def _refuses(node: Function, why: str, said: str) -> bool:
    """Return whether a function may reject arguments for a reason, such as ``takes 1 positional argument``."""
    positional = [*node.args.posonlyargs, *node.args.args]
    names = {one.arg for one in (*positional, *node.args.kwonlyargs)}
    quoted = set(re.findall(r"'(\w+)'", said))
    if why == "takes":
        counts = [int(number) for number in re.findall(r"\d+", said.partition(" but ")[0])]
        return counts[-1:] == [len(positional)]
    return names >= quoted if why == "missing" else node.args.kwarg is None or bool(names & quoted)


def _list_functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Iterate over the functions in a part of a module, each with its qualified name."""
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, Function):
            yield prefix + child.name, child
            inner = f"{prefix}{child.name}.<locals>."
        elif isinstance(child, ast.ClassDef):
            inner = f"{prefix}{child.name}."
        yield from _list_functions(child, inner)


def _parse(plugin: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Parse the valid modules of a plugin."""
    for file in sorted(plugin.rglob("*.py")):
        try:
            yield file, ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
