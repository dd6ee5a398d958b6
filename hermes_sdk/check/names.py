"""Resolves unambiguous names in the files of a plugin."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import Function, Source

_Scope = ast.Module | Function
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MAX_IMPORTS = 10
"""Longest chain of re-exports; a longer one counts as an import cycle."""


class Resolved(NamedTuple):
    """Definition of a name.

    Attributes:
        node: The function or class, or the value that is assigned to the name.
        name: The name in its definition; empty for an inline value.
    """

    source: Source
    node: ast.AST
    name: str = ""


class Names:
    """Resolver for the names of a plugin.

    A name resolves only if its scope binds it once and unconditionally.
    """

    def __init__(self, plugin: Plugin) -> None:
        self._sources = plugin.sources
        self._by_file = {source.file: source for source in plugin.sources if source.tree}
        self._scopes: dict[_Scope, dict[str, list[ast.AST]]] = {}

    def resolve(self, source: Source, node: ast.expr) -> Resolved | None:
        """Resolve a name or an attribute to its definition; return any other expression unchanged."""
        if isinstance(node, ast.Name):
            return self._resolve_name(source, node)
        if not isinstance(node, ast.Attribute):
            return Resolved(source, node)
        path: list[str] = []
        head: ast.expr = node
        while isinstance(head, ast.Attribute):
            path.insert(0, head.attr)
            head = head.value
        statement = self._find_binding(source, head) if isinstance(head, ast.Name) else None
        if not isinstance(head, ast.Name) or not isinstance(statement, ast.ImportFrom):
            return None
        found = self._find_imported(source, statement, [head.id, *path])
        return self.resolve_global(*found) if found else None

    def resolve_global(self, source: Source, name: str) -> Resolved | None:
        """Resolve a name at the top level of a file."""
        return self._resolve_in(source, source.tree, name) if source.tree else None

    def bindings(self, source: Source, scope: _Scope, name: str) -> list[ast.AST]:
        """Return every node that binds a name in a scope, including those that may never run."""
        if scope not in self._scopes:
            found: dict[str, list[ast.AST]] = defaultdict(list)
            for bound, node in _find_bindings(source, scope):
                found[bound].append(node)
            self._scopes[scope] = found
        return self._scopes[scope].get(name, [])

    def mentions(self, name: str) -> Iterator[tuple[Source, ast.AST]]:
        """Find all expressions of the plugin that may read a name."""
        for source in self._sources:
            if name in source.text:
                yield from ((source, node) for node in source.reads(name))

    def _resolve_name(self, source: Source, node: ast.Name) -> Resolved | None:
        scope = self._find_scope(source, node)
        return self._resolve_in(source, scope, node.id) if scope else None

    def _find_scope(self, source: Source, node: ast.Name) -> _Scope | None:
        """Find the innermost scope that binds a name."""
        around = source.function(node)
        while around is not None:
            if self.bindings(source, around, node.id):
                return around
            around = source.function(around)
        return source.tree

    def _find_binding(self, source: Source, node: ast.Name) -> ast.AST | None:
        scope = self._find_scope(source, node)
        return self._find_only_binding(source, scope, node.id) if scope else None

    def _find_only_binding(self, source: Source, scope: _Scope, name: str) -> ast.AST | None:
        """Return the only statement that binds a name in a scope; None if there are others or it may not run."""
        found = self.bindings(source, scope, name)
        declared: list[ast.Global | ast.Nonlocal] = [*source.nodes(ast.Global), *source.nodes(ast.Nonlocal)]
        rebound = any(name in node.names for node in declared)
        if len(found) != 1 or rebound or (scope is source.tree and self.bindings(source, scope, "*")):
            return None
        statement: ast.AST | None = found[0]
        if isinstance(statement, ast.Name):
            around = source.parent(statement)
            is_assigned = isinstance(around, ast.Assign) and around.targets == [statement]
            if not is_assigned and not isinstance(around, ast.AnnAssign):
                return None
            statement = around
        return statement if statement is not None and source.parent(statement) is scope else None

    def _resolve_in(self, source: Source, scope: _Scope, name: str) -> Resolved | None:
        for _ in range(_MAX_IMPORTS):
            statement = self._find_only_binding(source, scope, name)
            if isinstance(statement, _DEFINITIONS):
                return Resolved(source, statement, name)
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                return Resolved(source, statement.value, name)
            found = self._find_imported(source, statement, [name]) if isinstance(statement, ast.ImportFrom) else None
            if found is None or (top := found[0].tree) is None:
                break
            scope = top
            source, name = found
        return None

    def _find_imported(self, source: Source, statement: ast.ImportFrom, path: list[str]) -> tuple[Source, str] | None:
        """Return the file that defines an imported name or an attribute of it, and the name in that file."""
        if not statement.level:
            return None
        imported = next(alias.name for alias in statement.names if (alias.asname or alias.name) == path[0])
        within = statement.module.split(".") if statement.module else []
        dotted = [*within, imported, *path[1:]]
        *modules, name = dotted
        package = source.file.parents[statement.level - 1]
        module = self._find_module(package.joinpath(*modules))
        return (module, name) if module else None

    def _find_module(self, path: Path) -> Source | None:
        return self._by_file.get(path / "__init__.py") or self._by_file.get(path.parent / f"{path.name}.py")


def _find_bindings(source: Source, scope: _Scope) -> Iterator[tuple[str, ast.AST]]:
    if not isinstance(scope, ast.Module):
        yield from ((node.arg, node) for node in ast.walk(scope.args) if isinstance(node, ast.arg))
    for node in source.own_nodes(scope):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id, node
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node
            case ast.Import() | ast.ImportFrom():
                yield from ((alias.asname or alias.name.partition(".")[0], node) for alias in node.names)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node
            case ast.MatchMapping(rest=str(name)):
                yield name, node
            case _:
                pass
