"""The part of a plugin that Hermes uses: the arguments of registrations, and their code.

`find_interface` finds it independently of the templates: the function `register`, the functions, classes and schemas
that it names, the public methods of those classes, and the module's values that these methods name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

Place = tuple[str, int, int]
"""A file, and the first and the last line of a definition in it."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_interface(directory: Path) -> set[Place]:
    """Return the locations of the definitions that Hermes calls or reads."""
    trees = {file.stem: ast.parse(file.read_bytes()) for file in directory.glob("*.py")}
    waiting = [("__init__", "register")]
    found: set[tuple[str, str]] = set()
    places: set[Place] = set()
    while waiting:
        module, name = waiting.pop()
        if (module, name) in found:
            continue
        found.add((module, name))
        for node in _define(trees[module], name):
            if not isinstance(node, ast.ClassDef):
                places.add((f"{module}.py", node.lineno, node.end_lineno or node.lineno))
            waiting += _name_parts(trees, module, name, node)
    return places


def _name_parts(trees: dict[str, ast.Module], module: str, name: str, node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the modules and names to which a definition refers, and which Hermes therefore also uses."""
    if name == "register":
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "").startswith("register_"):
                for part in ast.walk(call):
                    yield from _resolve(trees, module, part)
    elif "." in name:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and any(_list_targets(one) for one in _define(trees[module], part.id)):
                yield module, part.id


def _resolve(trees: dict[str, ast.Module], module: str, node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the module and the definition of a name, or of an attribute of another module."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id in trees:
            yield node.value.id, node.attr
        for origin in _find_origins(trees, module, node.value.id):
            yield origin, f"{node.value.id}.{node.attr}"
    elif isinstance(node, ast.Name):
        for origin in _find_origins(trees, module, node.id):
            yield origin, node.id
            for one in _define(trees[origin], node.id):
                for method in one.body if isinstance(one, ast.ClassDef) else ():
                    if isinstance(method, Function) and (method.name == "__init__" or method.name[0] != "_"):
                        yield origin, f"{node.id}.{method.name}"


def _find_origins(trees: dict[str, ast.Module], module: str, name: str) -> Iterator[str]:
    """Yield the modules that define a name which a module defines or imports."""
    if any(True for _ in _define(trees[module], name)):
        yield module
    for node in trees[module].body:
        if isinstance(node, ast.ImportFrom) and node.module in trees and name in [one.name for one in node.names]:
            yield node.module


def _define(tree: ast.Module, name: str) -> Iterator[ast.stmt]:
    """Yield the definitions of a name, or of a method as ``Class.method``."""
    first, _, rest = name.partition(".")
    for node in tree.body:
        if first in _list_targets(node):
            yield node
        elif isinstance(node, ast.ClassDef) and node.name == first:
            yield from [one for one in node.body if isinstance(one, Function) and one.name == rest] if rest else [node]
        elif isinstance(node, Function) and node.name == first:
            yield node


def _list_targets(node: ast.stmt) -> list[str]:
    """Return the names that a statement assigns."""
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets if isinstance(node, ast.Assign) else []
    return [one.id for one in targets if isinstance(one, ast.Name)]
