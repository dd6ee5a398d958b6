"""Fingerprints of host functions: short hashes of their code.

A fingerprint covers the syntax tree of a function without docstrings, comments and positions, along with the functions
and constants of its module that it uses directly or indirectly. Functions with their own fingerprint are excluded
there, so that a change affects only the fingerprint of the changed function. Fingerprints are the same on every version
of Python.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from .source import Function, Source

LENGTH = 8
# Maximum number of imports and base classes to follow to the definition of a function.
MAX_DEPTH = 6

Definition = Function | ast.ClassDef | ast.Assign | ast.AnnAssign


class Module(NamedTuple):
    """Definitions of a module by qualified name, and sources of its imports."""

    defined: dict[str, Definition]
    imported: dict[str, tuple[str, str]]


class Fingerprints:
    """The fingerprints of a release.

    Args:
        listed: The functions to fingerprint, such as ``gateway.run:GatewayRunner.start``.
    """

    def __init__(self, source: Source, listed: Collection[str]) -> None:
        self._source = source
        self._listed = listed
        self.module = cache(self._read_module)

    def section(self) -> dict[str, dict[str, str]]:
        """Return the section ``fingerprints``: the hash of each function, followed by its place if it has moved."""
        listed = {name: name.partition(":") for name in sorted(self._listed)}
        places = {name: place for name, (module, _, own) in listed.items() if (place := self.find(module, own))}
        self._own = {*places.values()}
        return {"fingerprints": {name: self._fingerprint(name, place) for name, place in places.items()}}

    def find(self, module: str, name: str, depth: int = 0) -> str | None:
        """Return the place of a function that a module defines or imports, or that one of its classes inherits."""
        if module not in self._source.files or depth > MAX_DEPTH:
            return None
        names = self.module(module)
        if isinstance(names.defined.get(name), Function):
            return f"{module}:{name}"
        first, _, rest = name.partition(".")
        if first in names.imported:
            origin, original = names.imported[first]
            return self.find(origin, f"{original}.{rest}".rstrip("."), depth + 1)
        cls = names.defined.get(first)
        bases = [ast.unparse(base) for base in cls.bases] if isinstance(cls, ast.ClassDef) else []
        return next((found for base in bases if (found := self.find(module, f"{base}.{rest}", depth + 1))), None)

    def _fingerprint(self, name: str, place: str) -> str:
        module, _, found = place.partition(":")
        text = "\n".join([dump(self.module(module).defined[found]), *self._dump_helpers(module, found)])
        hashed = hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
        return hashed if place == name else f"{hashed} {place}"

    def _dump_helpers(self, module: str, name: str) -> list[str]:
        defined = self.module(module).defined
        seen, pending = {name}, [name]
        while pending:
            for used in find_used(defined, pending.pop()):
                if used not in seen and f"{module}:{used}" not in self._own:
                    seen.add(used)
                    pending.append(used)
        return [f"{used} {dump(defined[used])}" for used in sorted(seen - {name})]

    def _read_module(self, module: str) -> Module:
        names = Module({}, {})
        package = module if module in self._source.packages else module.rpartition(".")[0]
        read_names(self._source.tree(module).body, "", package, names)
        return names


def read_names(body: list[ast.stmt], prefix: str, package: str, names: Module) -> None:
    """Add the names bound by the statements of a module or class; the last of several bindings counts."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                names.defined[prefix + node.name] = node
            case ast.ClassDef():
                names.defined[prefix + node.name] = node
                read_names(node.body, f"{prefix}{node.name}.", package, names)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.defined[prefix + name] = node
            case ast.ImportFrom():
                parts = package.split(".")
                above = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
                origin = ".".join(filter(None, (above, node.module)))
                names.imported.update((one.asname or one.name, (origin, one.name)) for one in node.names)
            case ast.If() | ast.Try():
                handlers = [line for handler in getattr(node, "handlers", ()) for line in handler.body]
                read_names([*handlers, *node.orelse, *node.body], prefix, package, names)
            case _:
                pass


def find_used(defined: dict[str, Definition], name: str) -> Iterator[str]:
    """Yield the functions and constants of a module that one of its functions uses."""
    cls = name.rpartition(".")[0]
    for node in ast.walk(defined[name]):
        match node:
            case ast.Name(id=used, ctx=ast.Load()):
                pass
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=attribute, ctx=ast.Load()) if cls:
                used = f"{cls}.{attribute}"
            case _:
                continue
        if used in defined and not isinstance(defined[used], ast.ClassDef):
            yield used


def dump(node: ast.AST) -> str:
    """Return a syntax tree as text that is the same on every version of Python; empty fields are omitted."""
    if isinstance(node, ast.Constant):
        return ascii(node.value)
    if isinstance(node, ast.JoinedStr):
        return f"JoinedStr({', '.join(merge_literals(node.values))})"
    fields = []
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            items = skip_docstring(value) if name == "body" and isinstance(node, Function | ast.ClassDef) else value
            text = ", ".join(dump(item) if isinstance(item, ast.AST) else repr(item) for item in items)
        elif isinstance(value, ast.AST):
            text = "" if isinstance(value, ast.expr_context) else dump(value)
        else:
            text = "" if value is None else repr(value)
        if text:
            fields.append(f"{name}={text}")
    return f"{type(node).__name__}({', '.join(fields)})"


def merge_literals(values: list[ast.expr]) -> Iterator[str]:
    """Yield the parts of an f-string with adjacent literals merged, since versions of Python split them differently."""
    text = ""
    for value in values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
        else:
            yield from ([ascii(text)] if text else [])
            yield dump(value)
            text = ""
    yield from ([ascii(text)] if text else [])


def skip_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a function or class without its docstring."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def sections(source: Source, listed: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the section with the fingerprints of functions, except functions that the release lacks."""
    return Fingerprints(source, listed).section()
