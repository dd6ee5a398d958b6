"""Python files of a plugin, each parsed and walked once, with their nodes grouped by type."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hermes_sdk.documents import read_beginning

MAX_BYTES = 2_000_000
"""Size limit of a file; parsing a larger one takes minutes and gigabytes, and hand-written code is smaller."""

_N = TypeVar("_N", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CATCHES_IMPORT_ERROR = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_LEAF_FIELDS = frozenset(
    {
        "arg",
        "asname",
        "attr",
        "conversion",
        "ctx",
        "id",
        "is_async",
        "kind",
        "kwd_attrs",
        "level",
        "module",
        "name",
        "op",
    }
    | {"ops", "rest", "simple", "type_comment", "type_ignores"}
)
"""Fields that the walk skips to save time: they hold no nodes, or only nodes without a position."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """Fields with child nodes, by node type."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = kind._fields
        if issubclass(kind, ast.Constant | ast.Global | ast.Nonlocal):
            fields = ()
        elif kind.__name__ != "TypeAlias":  # The `name` of a type alias is a node, not a string.
            fields = tuple(field for field in fields if field not in _LEAF_FIELDS)
        self[kind] = fields
        return fields


_FIELDS = _Fields()
_NAMES_ENCODING = re.compile(rb"(?m)^[ \t\f]*#.*coding[:=]").search
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+").findall


class Import(NamedTuple):
    """One name that a file imports.

    Attributes:
        module: The module as written, with the dots of a relative import: ``os.path``, ``.tools``, ``.``.
        name: The imported name; None for ``import module``, ``*`` for all names.
    """

    module: str
    name: str | None
    node: ast.Import | ast.ImportFrom

    @property
    def dotted_name(self) -> str:
        """The full dotted name, such as ``os.path.join``."""
        return self.module if self.name is None else _join(self.module, self.name)


class Source:
    """One Python file of a plugin.

    Args:
        root: Symbolic links that lead out of this directory are not followed.

    Attributes:
        path: POSIX path, relative to the checked directory.
        importable: Whether the plugin can import the file: all directories from the plugin to the file are packages.
        text: The source text; empty if it cannot be decoded.
        tree: The syntax tree; None if the file cannot be parsed.
        error: The error that prevented parsing.
        too_large: Whether it was not read because it is larger than `MAX_BYTES`.
    """

    def __init__(self, file: Path, path: str, importable: bool, root: Path | None = None) -> None:
        self.file = file
        self.path = path
        self.importable = importable
        self.text = ""
        self.tree: ast.Module | None = None
        self.error: Exception | None = None
        self.too_large = False
        self._own_nodes: dict[ast.AST, list[ast.AST]] = {}
        self._read(root)

    def _read(self, root: Path | None) -> None:
        try:
            data = read_beginning(self.file, MAX_BYTES + 1, root=root)
            self.too_large = len(data) > MAX_BYTES
            if not self.too_large:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.tree = ast.parse(data, filename=self.file.name)
                self.text = data.decode(detect_encoding(data), errors="replace")
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            self.error = problem

    @property
    def is_test(self) -> bool:
        """True if the file is a test module, which Hermes never imports."""
        name = self.file.stem
        return name == "conftest" or name.startswith("test_") or name.endswith("_test")

    def nodes(self, *types: type[_N]) -> list[_N]:
        """Return all nodes of some types, in no particular order."""
        return [node for kind in types for node in self._index[0].get(kind, ())]  # type: ignore[misc]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the parent of a node; None for the module."""
        return self._index[1].get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of a node, innermost first."""
        around = self.parent(node)
        while around is not None:
            yield around
            around = self.parent(around)

    @cached_property
    def _index(self) -> tuple[dict[type[ast.AST], list[ast.AST]], dict[ast.AST, ast.AST]]:
        """All nodes by type, and the parent of each node."""
        by_type: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        parents: dict[ast.AST, ast.AST] = {}
        pending: list[ast.AST] = [self.tree] if self.tree else []
        while pending:
            node = pending.pop()
            kind = node.__class__
            by_type[kind].append(node)
            for field in _FIELDS[kind]:
                value: Any = getattr(node, field, None)
                if value.__class__ is list:
                    for child in value:
                        if child is not None:
                            parents[child] = node
                    pending += filter(None, value)
                elif value is not None:
                    parents[value] = node
                    pending.append(value)
        return by_type, parents

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """All imported names of the file, sorted by line."""
        found = [Import(alias.name, None, node) for node in self.nodes(ast.Import) for alias in node.names]
        for node in self.nodes(ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [Import(module, alias.name, node) for alias in node.names]
        return tuple(sorted(found, key=lambda one: (one.node.lineno, one.dotted_name)))

    @cached_property
    def _imported_names(self) -> dict[str, str]:
        """Full dotted names of the imported names in the file."""
        names: dict[str, str] = {}
        for one in self.nodes(ast.Import):
            for alias in one.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        for node in self.nodes(ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names.update((alias.asname or alias.name, _join(module, alias.name)) for alias in node.names)
        return names

    def dotted_name(self, node: ast.AST | None) -> str:
        """Return a name or a chain of attributes as one dotted name, with imported names expanded.

        ``environ.get`` after ``from os import environ`` is ``os.environ.get``. Other names are unchanged: ``open``,
        ``ctx.register_tool``. Attributes of any other expression, such as a call, begin with a dot: ``get().post`` is
        ``.post``. The result is empty for an expression without a name.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            parts.append(self._imported_names.get(node.id, node.id))
        elif parts:
            parts.append("")
        return ".".join(reversed(parts))

    def calls(self, *names: str) -> list[ast.Call]:
        """Return the calls of some functions.

        Args:
            names: Dotted names as in `dotted_name`. A name that starts with a dot matches the last part of any name:
                ``.register_tool`` finds ``ctx.register_tool(…)`` and ``self.ctx.register_tool(…)``.
        """
        return [call for name in names for call in self._calls.get(name, ())]

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for call in self.nodes(ast.Call):
            name = self.dotted_name(call.func)
            last = f".{name.rpartition('.')[2]}"
            for key in {name, last} if "." in name else {name}:
                found.setdefault(key, []).append(call)
        return found

    def reads(self, name: str) -> list[ast.Name | ast.Attribute]:
        """Return the nodes that read a name, or an attribute of that name; aliases of imports are resolved."""
        return self._reads.get(name, [])

    @cached_property
    def _reads(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        found: dict[str, list[ast.Name | ast.Attribute]] = defaultdict(list)
        for node in self.nodes(ast.Name):
            if isinstance(node.ctx, ast.Load):
                found[self._imported_names.get(node.id, node.id).rpartition(".")[2]].append(node)
        for attribute in self.nodes(ast.Attribute):
            if isinstance(attribute.ctx, ast.Load):
                found[attribute.attr].append(attribute)
        return found

    def assignments(self, name: str) -> list[ast.Assign]:
        """Return all assignments to a name in the file."""
        return self._assignments.get(name, [])

    @cached_property
    def _assignments(self) -> dict[str, list[ast.Assign]]:
        found: dict[str, list[ast.Assign]] = {}
        for assign in self.nodes(ast.Assign):
            for target in assign.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(assign)
        return found

    def function(self, node: ast.AST) -> Function | None:
        """Return the innermost function whose body contains a node; None for code that runs at import."""
        inside = node
        for around in self.ancestors(node):
            # Decorators, defaults and annotations are evaluated when the function is defined.
            if isinstance(around, _FUNCTIONS) and (isinstance(inside, ast.stmt) or inside is around.body):
                return around
            inside = around
        return None

    def own_nodes(self, scope: ast.Module | Function) -> list[ast.AST]:
        """Return all nodes of the body of a module or function, without the bodies of nested functions and classes."""
        if scope not in self._own_nodes:
            self._own_nodes[scope] = list(own_nodes(*([scope.body] if isinstance(scope, ast.Lambda) else scope.body)))
        return self._own_nodes[scope]

    def runs_at_import(self, node: ast.AST) -> bool:
        """Return whether a node appears to run when the module is imported.

        It does unless it is in a function, ``if TYPE_CHECKING`` or ``if __name__ == "__main__"``.
        """
        if self.function(node) is not None:
            return False
        tests = (around.test for around in self.ancestors(node) if isinstance(around, ast.If))
        return not any(_is_false_at_import(test) for test in tests)

    def is_guarded(self, node: ast.AST) -> bool:
        """Return whether an ImportError at a node is caught, by a ``try`` that handles it or by ``suppress``."""
        inside = node
        for around in self.ancestors(node):
            if isinstance(around, ast.Try) and inside in around.body and self._handles_import_error(around):
                return True
            if isinstance(around, ast.With) and any("suppress" in ast.dump(item) for item in around.items):
                return True
            inside = around
        return False

    def is_fallback(self, node: ast.AST) -> bool:
        """Return whether a node runs only if an import fails, as a fallback for older releases does."""
        around = (one for one in self.ancestors(node) if isinstance(one, ast.ExceptHandler))
        return any(self._catches_import_error(one) for one in around)

    def _handles_import_error(self, node: ast.Try) -> bool:
        return any(map(self._catches_import_error, node.handlers))

    def _catches_import_error(self, handler: ast.ExceptHandler) -> bool:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return any(kind is None or self.dotted_name(kind) in _CATCHES_IMPORT_ERROR for kind in kinds)

    def place(self, node: ast.AST) -> tuple[str, int, int]:
        """Return the path, line and column of a node for a `Problem`."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        before = self.line(line).encode()[:column].decode(errors="replace")
        return self.path, line, len(before) + 1

    def line(self, number: int) -> str:
        """Return a line of the text without its line ending; empty after the last line."""
        return self._lines[number - 1].rstrip("\r\n") if 0 < number <= len(self._lines) else ""

    def offset(self, line: int, column: int) -> int:
        """Convert the line and the column (in UTF-8 bytes) of a node to an offset in characters."""
        start = sum(map(len, self._lines[: line - 1]))
        return start + len(self._lines[line - 1].encode()[:column].decode())

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self.text)


def own_nodes(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Walk nodes without the bodies of nested functions and classes."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)


def detect_encoding(data: bytes) -> str:
    """Return the encoding that a source file declares; UTF-8 by default, and for manifests."""
    if _NAMES_ENCODING(data[:500]):
        import io
        import tokenize

        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    return "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"


def split_lines(text: str) -> list[str]:
    r"""Split a text into lines as Python does, only at ``\n``, ``\r`` and ``\r\n``; keep the line endings."""
    return _LINE(text)


def _join(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _is_false_at_import(test: ast.expr) -> bool:
    names = {getattr(node, "id", getattr(node, "attr", None)) for node in ast.walk(test)}
    return not names.isdisjoint(("TYPE_CHECKING", "__name__"))
