"""Python file as text and syntax tree, to which lines are only added."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from hermes_sdk.errors import UsageError

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_SIMPLE_TEXT = re.compile(r'(?<!")"([^"\'\\\n]*)"(?!")')
_INDENT = re.compile(r"(?m)^(?:    )+")


class Line(str):
    """An inserted line; the author's lines are plain `str`."""

    __slots__ = ()


class Code:
    """A Python file to which code is added.

    Args:
        path: Path of the file, which may not exist yet.
        data: Its content; empty for a new file.

    Raises:
        UsageError: It is not valid Python.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self._detect_encoding = _detect_encoding(path, data)
        try:
            self._before = text = data.decode(self._detect_encoding)
            self.lines: list[str] = _LINE.findall(text)
            self.tree = _parse_code(text)
            compile(self.tree, path.name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            place = f"{path}:{getattr(error, 'lineno', None) or 1}"
            raise UsageError(f"not valid Python: {error}", where=place, fix="Correct the file first.") from None
        self.newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        self.unit = self._find_indentation_unit()
        self._single_quotes = self._prefers_single_quotes()

    @property
    def text(self) -> str:
        """The current text."""
        return "".join(self.lines)

    @property
    def data(self) -> bytes:
        """The content to write, once it is certain that existing code keeps its meaning.

        Raises:
            UsageError: The additions would change the syntax tree of the existing code.
        """
        if not self._only_grew():
            raise UsageError("the code to add would change the meaning of existing code", where=str(self.path))
        return self.text.encode(self._detect_encoding)

    def insert(self, at: int, text: str, indent: str = "") -> None:
        """Insert lines in the style of the file.

        Args:
            at: The number of lines before them.
            text: The lines, indented by four spaces, with double quotes, and ending in a line break.
            indent: Additional indentation of each line.

        Raises:
            UsageError: The result is not valid Python.
        """
        if at and not self.lines[at - 1].endswith(("\n", "\r")):
            self.lines[at - 1] += self.newline
        styled = _INDENT.sub(lambda found: self.unit * (len(found[0]) // 4), self._quote(text))
        new = [Line(f"{indent}{line}{self.newline}" if line else self.newline) for line in styled.splitlines()]
        self.lines[at:at] = new
        self._parse_again()

    def replace(self, first: int, last: int, text: str) -> None:
        """Replace a range of lines.

        Args:
            first: The first line to replace, counted from 1.
            last: The last line to replace.
            text: The new lines, with line breaks.
        """
        self.lines[first - 1 : last] = _LINE.findall(text)
        self._parse_again()

    def append(self, text: str) -> None:
        """Append definitions to the file, after two empty lines."""
        last = len(self.lines)
        while last and not self.lines[last - 1].strip():
            last -= 1
        below = len(self.lines) - last
        self.insert(len(self.lines), "\n" * max(0, 2 - below if last else 0) + text)

    def _parse_again(self) -> None:
        try:
            self.tree = _parse_code(self.text)
        except SyntaxError:
            raise UsageError(
                "the file would no longer be valid Python with the new lines", where=str(self.path)
            ) from None

    def _find_indentation_unit(self) -> str:
        """Return the text of one indentation level in this file."""
        for node in self.tree.body:
            inner: list[ast.stmt] = getattr(node, "body", [])
            if inner and inner[0].lineno > node.lineno and (indent := indentation(self.lines[inner[0].lineno - 1])):
                return indent
        return "    "

    def _prefers_single_quotes(self) -> bool:
        marks = [
            self.lines[node.lineno - 1].encode()[node.col_offset : node.col_offset + 1]
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        return marks.count(b"'") > marks.count(b'"')

    def _quote(self, text: str) -> str:
        return _SIMPLE_TEXT.sub(r"'\1'", text) if self._single_quotes else text

    def _only_grew(self) -> bool:
        """Return whether the syntax tree is unchanged apart from the inserted lines and imports."""
        inserted = {number for number, line in enumerate(self.lines, 1) if isinstance(line, Line)}
        before = _parse_code(self._before)
        new = self.names - set(_find_names(before))
        return _dump_tree(before, set(), set()) == _dump_tree(_parse_code(self.text), inserted, new)

    @property
    def names(self) -> set[str]:
        """All identifiers in the file."""
        return set(_find_names(self.tree))


class _RemoveAdditions(ast.NodeTransformer):
    """Removes inserted statements, ``dict(…)`` copies of added names, and imports before comparing syntax trees."""

    def __init__(self, lines: set[int], names: set[str]) -> None:
        self.lines = lines
        self.names = names

    def visit(self, node: ast.AST) -> ast.AST | None:
        match node:
            case ast.Import() | ast.ImportFrom():
                return None
            case ast.Call(func=ast.Name(id="dict"), args=[ast.Name(id=name)]) if name in self.names:
                return None
            case ast.stmt() if node.lineno in self.lines:
                return None
            case _:
                return self.generic_visit(node)


def _dump_tree(tree: ast.Module, lines: set[int], names: set[str]) -> str:
    _RemoveAdditions(lines, names).visit(tree)
    return ast.dump(tree)


def insert_above(code: Code, name: str, text: str) -> None:
    """Insert definitions above a top-level function or class and the comments that belong to it."""
    node = next(node for node in code.tree.body if getattr(node, "name", "") == name)
    at = first_line(node) - 1
    while at and code.lines[at - 1].startswith("#"):
        at -= 1
    code.insert(at, f"{text}\n\n")


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block, including nested blocks but not nested functions and classes."""
    for node in body:
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from statements(getattr(node, name, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from statements(part.body)


def indentation(line: str) -> str:
    """Return the leading whitespace of a line."""
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def first_line(node: ast.stmt) -> int:
    """Return the first line of a statement, including its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def last_line(node: ast.stmt) -> int:
    """Return the last line of a statement."""
    assert node.end_lineno is not None
    return node.end_lineno


def _find_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest


def _parse_code(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _detect_encoding(path: Path, data: bytes) -> str:
    import io
    import tokenize

    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        raise UsageError(f"cannot be read: {error}", where=str(path)) from None
