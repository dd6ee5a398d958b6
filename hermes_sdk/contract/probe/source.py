"""Static analysis of the host's source: calls of a function, and the keywords that each call passes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Maximum number of assignments, returns and callers to follow from a mapping to its literal.
MAX_DEPTH = 6


class Keys(NamedTuple):
    """Names of keyword arguments or keys of a mapping, divided into those always and only sometimes present."""

    always: frozenset[str]
    sometimes: frozenset[str] = frozenset()

    def join(self, other: Keys) -> Keys:
        """Return the keys of a call that passes both."""
        return Keys(self.always | other.always, (self.sometimes | other.sometimes) - self.always - other.always)

    def without(self, names: Iterable[str]) -> Keys:
        """Return the keys except some names."""
        return Keys(self.always.difference(names), self.sometimes.difference(names))

    @classmethod
    def merge(cls, alternatives: Iterable[Keys]) -> Keys:
        """Return the keys of a call that passes one of several alternatives."""
        found = list(alternatives)
        if not found:
            return cls(frozenset())
        always = frozenset.intersection(*(keys.always for keys in found))
        return cls(always, frozenset().union(*(keys.always | keys.sometimes for keys in found)) - always)


class Call(NamedTuple):
    """A call in the source, with the enclosing functions and classes, outermost first."""

    module: str
    node: ast.Call
    scopes: tuple[Function | ast.ClassDef, ...]

    @property
    def function(self) -> Function | None:
        """The innermost enclosing function."""
        return next((scope for scope in reversed(self.scopes) if not isinstance(scope, ast.ClassDef)), None)

    def function_with(self, name: str) -> Function | None:
        """Return the innermost enclosing function with a parameter of that name, including ``**keywords``."""
        functions = [scope for scope in reversed(self.scopes) if isinstance(scope, Function)]
        return next((each for each in functions if name in [*parameters(each), *keywords_name(each)]), None)

    def place(self) -> str:
        """Return the qualified name of the calling function, such as ``gateway.run:GatewayRunner.start``."""
        return f"{self.module}:{'.'.join(scope.name for scope in self.scopes)}"

    def argument(self, name: str, position: int) -> ast.expr | None:
        """Return the expression passed for a parameter; None if it is omitted."""
        if position < len(self.node.args):
            return self.node.args[position]
        return next((keyword.value for keyword in self.node.keywords if keyword.arg == name), None)


class Source:
    """The source files of a release.

    Args:
        files: Dotted module name to file.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self.files = {name: path.read_text(encoding="utf-8", errors="replace") for name, path in sorted(files.items())}
        self.packages = {name for name, path in files.items() if path.name == "__init__.py"}
        self.tree = cache(self._tree)
        self.index = cache(self._index)

    def _tree(self, module: str) -> ast.Module:
        return ast.parse(self.files[module])

    def _index(self, module: str) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}

        def visit(node: ast.AST, scopes: tuple[Function | ast.ClassDef, ...]) -> None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.Call) and (name := name_of(child.func)):
                    found.setdefault(name, []).append(Call(module, child, scopes))
                visit(child, (*scopes, child) if isinstance(child, Function | ast.ClassDef) else scopes)

        visit(self.tree(module), ())
        return found

    def calls(self, name: str, modules: str = "") -> list[Call]:
        """Return calls whose last name is `name`, in modules whose name matches the prefix pattern `modules`.

        Calls by an import alias are included.
        """
        found: list[Call] = []
        for module, text in self.files.items():
            # Indexing a file is slow, and most files with the name only define or import it.
            if name in text and re.match(modules, module) and re.search(rf"(?<!def )\b{name}(?:\s*\(| as )", text):
                for called in {name, *re.findall(rf"\b{name} as (\w+)", text)}:
                    found += self.index(module).get(called, ())
        return found

    def texts(self, node: ast.expr | None, module: str) -> list[str]:
        """Return the possible strings of an expression in a module, including that module's constants."""
        return texts_of(node and self.resolve(node, module))

    def resolve(self, node: ast.expr, module: str) -> ast.expr:
        """Return the value of a constant of the module; other expressions are returned unchanged."""
        value = self._find_constant(node.id, module) if isinstance(node, ast.Name) else None
        return node if value is None else value

    def _find_constant(self, name: str, module: str) -> ast.expr | None:
        """Return the value of a variable that a module sets at its top level."""
        for node in self.tree(module).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and name in list_assigned_names(node):
                return node.value
        return None

    def functions(self, module: str, name: str) -> list[Function]:
        """Return the functions and methods of that name in a module."""
        nodes = ast.walk(self.tree(module)) if module in self.files else ()
        return [node for node in nodes if isinstance(node, Function) and node.name == name]

    def keywords(self, call: Call) -> Keys:
        """Return the keyword arguments of a call, including those of unpacked mappings."""
        keys = Keys(frozenset(keyword.arg for keyword in call.node.keywords if keyword.arg))
        for keyword in call.node.keywords:
            if keyword.arg is None:
                keys = keys.join(self.keys(keyword.value, call.module, call.scopes))
        return keys

    def keys(self, node: ast.expr, module: str, scopes: tuple[ast.AST, ...], depth: int = 0) -> Keys:
        """Return the string keys of a mapping expression, as far as they are literals in its module."""
        if depth > MAX_DEPTH:
            return Keys(frozenset())
        match node:
            case ast.Dict():
                keys = Keys(frozenset(text for key in node.keys for text in texts_of(key)))
                spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
            case ast.Call() if name_of(node.func) == "dict":
                keys = Keys(frozenset(keyword.arg for keyword in node.keywords if keyword.arg))
                spread = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is None)]
            case ast.Call():
                return self._find_returned(name_of(node.func), module, depth)
            case ast.DictComp(
                key=ast.Name(id=key), generators=[ast.comprehension(target=ast.Name(id=item), iter=items)]
            ):
                listed = self._find_constant(items.id, module) if key == item and isinstance(items, ast.Name) else None
                parts = listed.elts if isinstance(listed, ast.Tuple | ast.List | ast.Set) else ()
                return Keys(frozenset(text for part in parts for text in texts_of(part)))
            case ast.IfExp():
                return Keys.merge(self.keys(one, module, scopes, depth + 1) for one in (node.body, node.orelse))
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._find_attribute_keys(name, module, scopes, depth)
            case ast.Name(id=name):
                functions = [scope for scope in reversed(scopes) if isinstance(scope, Function)]
                found = (self._find_variable_keys(name, module, function, scopes, depth) for function in functions)
                return next((keys for keys in found if keys), Keys(frozenset()))
            case _:
                return Keys(frozenset())
        for value in spread:
            keys = keys.join(self.keys(value, module, scopes, depth + 1))
        return keys

    def _find_attribute_keys(self, name: str, module: str, scopes: tuple[ast.AST, ...], depth: int) -> Keys:
        """Return the keys of an attribute of ``self``: those that methods of the class assign and add."""
        found = []
        for cls in (scope for scope in scopes if isinstance(scope, ast.ClassDef)):
            for method in (node for node in cls.body if isinstance(node, Function)):
                added = Keys(frozenset(added_keys(method, f"self.{name}")))
                for value in assignments(method, f"self.{name}"):
                    found.append(self.keys(value, module, (cls, method), depth + 1).join(added))
        return Keys.merge(found)

    def _find_returned(self, name: str | None, module: str, depth: int) -> Keys:
        """Return the keys of the mappings that a function of the module returns."""
        found: list[Keys] = []
        for function in self.functions(module, name) if name else ():
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict | ast.Name | ast.Call):
                    found.append(self.keys(node.value, module, (function,), depth + 1))
                elif isinstance(node, ast.Return) and is_asdict(node.value):
                    found.append(Keys(self._find_fields(function, module)))
        return Keys.merge(found)

    def _find_fields(self, method: Function, module: str) -> frozenset[str]:
        """Return the fields of a method's dataclass."""
        classes = (
            node for node in ast.walk(self.tree(module)) if isinstance(node, ast.ClassDef) and method in node.body
        )
        entries = (entry for cls in classes for entry in cls.body if isinstance(entry, ast.AnnAssign))
        return frozenset(name for entry in entries for name in list_assigned_names(entry))

    def _find_variable_keys(
        self, name: str, module: str, scope: Function, scopes: tuple[ast.AST, ...], depth: int
    ) -> Keys | None:
        """Return the keys of a variable in a function: assigned, added, or passed by callers."""
        assigned = assignments(scope, name)
        values = [(value, scopes) for value in assigned if not is_copy(value, name) and not is_none(value)]
        values += [item for looped in find_looped_lists(scope, name) for item in self._find_appended(looped, module)]
        if not values and name in (names := parameters(scope)):
            callers = self.index(module).get(scope.name, ())
            passed = [(call.argument(name, names.index(name)), call.scopes) for call in callers]
            values = [(value, outer) for value, outer in passed if value is not None]
        added = Keys(
            frozenset(), frozenset([*added_keys(scope, name), *self._find_keys_added_by_callees(scope, name, module)])
        )
        if not values and not added.sometimes:
            return None
        return Keys.merge(self.keys(value, module, outer, depth + 1) for value, outer in values).join(added)

    def _find_appended(self, name: str, module: str) -> list[tuple[ast.expr, tuple[ast.AST, ...]]]:
        """Return the values that a module appends to lists of a name, each with its scopes."""
        calls = (call for call in self.index(module).get("append", ()) if receiver_of(call).split(".")[-1] == name)
        return [(call.node.args[0], call.scopes) for call in calls if call.node.args]

    def _find_keys_added_by_callees(self, scope: Function, name: str, module: str) -> Iterator[str]:
        """Yield the keys that functions of the module add to a variable passed to them."""
        for node in ast.walk(scope):
            match node:
                case ast.Call(func=ast.Name(id=callee), args=[ast.Name(id=passed), *_]) if passed == name:
                    for function in self.functions(module, callee):
                        yield from (key for first in parameters(function)[:1] for key in added_keys(function, first))
                case _:
                    pass


def name_of(node: ast.expr) -> str | None:
    """Return the last name of a callee: ``c`` of ``a.b.c``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def receiver_of(call: Call) -> str:
    """Return the text before the last name of a callee: ``a.b`` of ``a.b.c``."""
    return ast.unparse(call.node.func.value) if isinstance(call.node.func, ast.Attribute) else ""


def texts_of(node: ast.expr | None) -> list[str]:
    """Return the possible strings of an expression; expressions in f-strings appear in angle brackets."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return texts_of(node.body) + texts_of(node.orelse)
    if isinstance(node, ast.FormattedValue):
        return [f"<{ast.unparse(node.value)}>"]
    if isinstance(node, ast.JoinedStr):
        return ["".join(text for part in node.values for text in texts_of(part))]
    return []


def parameters(function: Function) -> list[str]:
    """Return the names of parameters without ``self``."""
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def keywords_name(function: Function) -> list[str]:
    """Return the name of a function's ``**keywords`` as a list; empty if it has none."""
    return [function.args.kwarg.arg] if function.args.kwarg else []


def list_assigned_names(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """Return the variables and attributes that an assignment sets, such as ``name`` and ``self.name``."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [ast.unparse(target) for target in targets if isinstance(target, ast.Name | ast.Attribute)]


def assignments(function: Function, name: str) -> Iterator[ast.expr]:
    """Yield the values that a function assigns to a variable, or to an attribute such as ``self.name``."""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Assign | ast.AnnAssign)
            and node.value is not None
            and name in list_assigned_names(node)
        ):
            yield node.value


def added_keys(function: Function, name: str) -> Iterator[str]:
    """Yield the keys that a function adds to a mapping.

    These are ``name["key"] = …``, ``name.setdefault("key", …)``, ``name.update(key=…)`` and ``name.update({"key":
    …})``.
    """
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=mapping, slice=key, ctx=ast.Store()):
                found = [key]
            case ast.Call(func=ast.Attribute(value=mapping, attr="setdefault"), args=[key, *_]):
                found = [key]
            case ast.Call(func=ast.Attribute(value=mapping, attr="update"), args=arguments, keywords=keywords):
                found = [key for value in arguments if isinstance(value, ast.Dict) for key in value.keys if key]
                found += [ast.Constant(keyword.arg) for keyword in keywords if keyword.arg]
            case _:
                continue
        if ast.unparse(mapping) == name:
            yield from (text for key in found for text in texts_of(key))


def is_asdict(node: ast.expr | None) -> bool:
    """Return whether an expression is ``{name: … for name, value in asdict(self).items()}``."""
    if not isinstance(node, ast.DictComp) or len(node.generators) != 1:
        return False
    loop = node.generators[0]
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
    is_kept = isinstance(node.key, ast.Name) and isinstance(first, ast.Name) and node.key.id == first.id
    return (
        is_kept
        and not loop.ifs
        and ast.unparse(loop.iter) in ("asdict(self).items()", "dataclasses.asdict(self).items()")
    )


def find_looped_lists(function: Function, name: str) -> Iterator[str]:
    """Yield the last names of iterables over which a variable loops: ``items`` of ``for name in self.items``."""
    for node in ast.walk(function):
        if isinstance(node, ast.For) and ast.unparse(node.target) == name and (looped := name_of(node.iter)):
            yield looped


def is_none(node: ast.expr) -> bool:
    """Return whether an expression is the literal None, which cannot be unpacked."""
    return isinstance(node, ast.Constant) and node.value is None


def is_copy(node: ast.expr, name: str) -> bool:
    """Return whether an expression is the variable itself, or ``dict(name)``."""
    return ast.unparse(node) in (name, f"dict({name})")
