"""Mutation operators: each makes one small mistake in a generated project, and knows its line.

A mutant replaces one range of one file and does not move other lines, so that findings can be compared with the line.
`list_mutants` applies all operators wherever they are applicable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mutants.interface import Function, Place, find_interface

from hermes_sdk.manifest import locate


class Edit(NamedTuple):
    """A replacement of the text between two positions of a file.

    Attributes:
        start: Line (from 1) and column (from 0, in bytes) of the first byte.
        end: Position after the last byte.
        text: The new text.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


class Mutant(NamedTuple):
    """One mistake.

    Attributes:
        operator: The name of the operator.
        file: The file, relative to the plugin's directory.
        line: The line of the mistake.
        detail: The mutated code, such as the name of the method.
        around: The first and last line of the function with the mistake, or of the statement outside of functions.
        edit: The replacement.
        is_interface: Whether Hermes calls or reads the mutated code; see `interface`.
    """

    operator: str
    file: str
    line: int
    detail: str
    around: tuple[int, int]
    edit: Edit
    is_interface: bool = True

    def __str__(self) -> str:
        """Return the mutant as a line of the frozen list."""
        seen = "interface" if self.is_interface else "own"
        return f"{seen} {self.operator} {self.file}:{self.line}:{self.edit.start[1] + 1} {self.detail}"

    def apply(self, directory: Path) -> None:
        """Apply the mutant in a plugin's directory."""
        path = directory / self.file
        lines = path.read_bytes().splitlines(keepends=True)
        (first, left), (last, right) = self.edit.start, self.edit.end
        # Add empty lines, so that the code below keeps its line numbers.
        new = self.edit.text + "\n" * (last - first)
        changed = lines[first - 1][:left] + new.encode() + lines[last - 1][right:]
        path.write_bytes(b"".join([*lines[: first - 1], changed, *lines[last:]]))


Found = tuple[ast.AST, str, Edit]
"""The node with the mistake, the mutated code, and the replacement."""

_OPERATORS: dict[str, Callable[[ast.Module, list[bytes]], Iterator[Found]]] = {}


def _operator(
    find: Callable[[ast.Module, list[bytes]], Iterator[Found]],
) -> Callable[[ast.Module, list[bytes]], Iterator[Found]]:
    _OPERATORS[find.__name__.replace("_", "-")] = find
    return find


def list_mutants(project: Path) -> list[Mutant]:
    """List the mutants of a project, in the order of operators and lines."""
    directory = locate(project).directory
    places = find_interface(directory)
    mutants = [one for file in sorted(directory.glob("*.py")) for one in _mutate_python(file)]
    found = [one._replace(is_interface=_is_among(one, places)) for one in mutants]
    found += _mutate_manifest(directory / "plugin.yaml")
    return sorted(found, key=lambda one: (one.operator, one.file, one.line, one.edit.start, one.detail))


def _is_among(mutant: Mutant, places: set[Place]) -> bool:
    return any(file == mutant.file and first <= mutant.line <= last for file, first, last in places)


def _mutate_python(file: Path) -> Iterator[Mutant]:
    source = file.read_bytes()
    tree, lines = ast.parse(source), source.splitlines()
    bodies = [one.body for one in ast.walk(tree) if isinstance(one, ast.Module | ast.ClassDef)]
    blocks: list[ast.stmt] = [one for body in bodies for one in body if not isinstance(one, ast.ClassDef)]
    blocks += _functions(tree)
    for operator, find in _OPERATORS.items():
        for _, detail, edit in find(tree, lines):
            line = edit.start[0]
            # Inner functions follow outer functions, so the last block is the innermost.
            inside = [one for one in blocks if one.lineno <= line <= (one.end_lineno or line)]
            decorators = getattr(inside[-1], "decorator_list", []) if inside else []
            first = min([one.lineno for one in [*decorators, *inside[-1:]]], default=line)
            around = (first, inside[-1].end_lineno or line) if inside else (line, line)
            yield Mutant(operator, file.name, line, detail, around, edit)


def _mutate_manifest(file: Path) -> Iterator[Mutant]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        end, span = (number, len(line.encode())), (number, number)
        if match := re.match(r"( *(?:- )?)(\w+): *(.+)", line):
            indent, key, value = match.groups()
            value_start = (number, len(line.encode()) - len(value.encode()))
            yield Mutant("rename-key", file.name, number, key, span, _replace_text(number, len(indent), key, f"{key}_"))
            yield Mutant("empty-string", file.name, number, key, span, Edit(value_start, end, '""'))
            if key == "kind":
                for kind in ("backend", "exclusive", "platform", "standalone"):
                    if kind != value:
                        yield Mutant("wrong-kind", file.name, number, kind, span, Edit(value_start, end, kind))
        if not line.startswith((" ", "-")) and line.endswith(tuple('"0123456789abcdefghijklmnopqrstuvwxyz')):
            yield Mutant("drop-key", file.name, number, line.partition(":")[0], span, Edit((number, 0), end, ""))


def _replace_text(line: int, column: int, old: str, new: str) -> Edit:
    return Edit((line, column), (line, column + len(old.encode())), new)


def _replace(node: ast.expr | ast.stmt, text: str) -> Edit:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Edit((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text)


def _functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def _name_column(function: Function, lines: list[bytes]) -> int:
    return lines[function.lineno - 1].index(b"def ", function.col_offset) + len(b"def ")


@_operator
def rename_function(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Misspell the name of a function or method."""
    for function in _functions(tree):
        column = _name_column(function, lines)
        yield function, function.name, _replace_text(function.lineno, column, function.name, f"{function.name}_")


@_operator
def make_async(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Make a function a coroutine function."""
    for function in _functions(tree):
        if isinstance(function, ast.FunctionDef):
            column = lines[function.lineno - 1].index(b"def ", function.col_offset)
            yield function, function.name, Edit((function.lineno, column), (function.lineno, column), "async ")


@_operator
def raise_error(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Raise an exception in a function, instead of its docstring or first simple statement."""
    for function in _functions(tree):
        first = function.body[0]
        if isinstance(first, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return | ast.Raise):
            yield function, function.name, _replace(first, "raise RuntimeError('mutant')")


@_operator
def drop_parameter(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Drop a parameter of a function, with its default."""
    for function in _functions(tree):
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
        for one, default in [
            *zip(positional, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]:
            is_last_keyword = arguments.kwonlyargs == [one] and arguments.vararg is None
            if one.arg not in ("self", "cls") and not is_last_keyword:
                yield one, f"{function.name}.{one.arg}", _cut(one, default or one, lines)


@_operator
def drop_kwargs(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Drop the parameter `**kwargs` of a function."""
    for function in _functions(tree):
        if one := function.args.kwarg:
            edit = _cut(one, one, lines)
            stars = lines[edit.start[0] - 1].rindex(b"**", 0, one.col_offset)
            start = min(edit.start[1], stars) if edit.start[0] == one.lineno else edit.start[1]
            yield one, function.name, edit._replace(start=(edit.start[0], start))


@_operator
def return_none(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Return None instead of a value."""
    for function in _functions(tree):
        for node in _own_returns(function):
            if not (isinstance(node, ast.Constant) and node.value is None):
                yield node, function.name, _replace(node, "None")


@_operator
def swap_return(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Return another value of the same type instead of a literal."""
    for function in _functions(tree):
        for node in _own_returns(function):
            if isinstance(node, ast.Constant) and isinstance(node.value, bool):
                yield node, function.name, _replace(node, str(not node.value))
            elif isinstance(node, ast.Dict) and node.keys:
                yield node, function.name, _replace(node, "{}")
            elif isinstance(node, ast.List) and node.elts:
                yield node, function.name, _replace(node, "[]")


@_operator
def empty_string(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Empty a string that is an argument of a call, a value of a dictionary, or a return value."""
    for node in ast.walk(tree):
        values: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.Dict):
            values = [
                (str(getattr(key, "value", "**")), value) for key, value in zip(node.keys, node.values, strict=True)
            ]
        elif isinstance(node, ast.Call):
            values = [(ast.unparse(node.func), one) for one in node.args]
            values += [(str(one.arg), one.value) for one in node.keywords]
        elif isinstance(node, ast.Return):
            values = [("return", node.value)]
        for what, value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
                yield value, what, _replace(value, '""')


@_operator
def drop_registration(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Drop a call of a method of `ctx`, or of a method of the base class that reports a state."""
    for node in ast.walk(tree):
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            name = call.func.attr
            if name.startswith(("register_", "_mark_", "_set_")):
                assert isinstance(node, ast.Expr)
                yield node, name, _replace(node, "pass")


@_operator
def drop_argument(tree: ast.Module, lines: list[bytes]) -> Iterator[Found]:
    """Drop a keyword argument of a call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for one in node.keywords:
                if one.arg:
                    yield one, f"{ast.unparse(node.func)}.{one.arg}", _cut(one, one.value, lines)


def _own_returns(function: Function) -> Iterator[ast.expr]:
    """Yield the values that a function itself returns."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Return) and node.value:
            yield node.value
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _cut(first: ast.arg | ast.keyword, last: ast.arg | ast.expr | ast.keyword, lines: list[bytes]) -> Edit:
    """Remove items from a list of parameters or arguments, with the comma after or before them."""
    assert last.end_lineno is not None
    assert last.end_col_offset is not None
    start, end = (first.lineno, first.col_offset), (last.end_lineno, last.end_col_offset)
    rest = lines[end[0] - 1][end[1] :]
    if match := re.match(rb"\)*, ?", rest):
        return Edit(start, (end[0], end[1] + match.end()), b")".decode() * match[0].count(b")"))
    before = re.search(rb", ?(\*\*)?$", lines[start[0] - 1][: start[1]])
    return Edit((start[0], before.start()) if before else start, end, "")
