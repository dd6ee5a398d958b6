"""Python source as ruff formats it: values, calls and statements, wrapped at its default width."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

_WIDTH = 88
_INDENT = 4


@dataclass(frozen=True)
class Group:
    """An expression between brackets, which can be wrapped.

    Attributes:
        head: What opens it, such as ``say(``.
        items: Its parts, each with what goes before it, such as ``name=``.
    """

    head: str
    tail: str
    items: Sequence[tuple[str, Expression]] = field(default=())

    def __str__(self) -> str:
        return f"{self.head}{', '.join(f'{label}{item}' for label, item in self.items)}{self.tail}"


Expression = str | Group


def literal(value: Any, **names: str) -> Expression:
    """Write a value of JSON; texts with ``{name}`` are f-strings with the variable that `names` has for it."""
    if isinstance(value, Mapping):
        return Group("{", "}", [(f"{_write_text(str(key))}: ", literal(one, **names)) for key, one in value.items()])
    if isinstance(value, (list, tuple)):
        return Group("[", "]", [("", literal(one, **names)) for one in value])
    if isinstance(value, str) and any(f"{{{name}}}" in value for name in names):
        return f"f{_write_text(value.replace('{', '{{').replace('}', '}}'), **names)}"
    if isinstance(value, float):
        return repr(value).replace("e+", "e") if isfinite(value) else f'float("{value}")'
    return _write_text(value) if isinstance(value, str) else repr(value)


def call(function: str, *arguments: Expression, **named: Expression) -> Group:
    """Write a call."""
    items = [("", one) for one in arguments] + [(f"{name}=", one) for name, one in named.items()]
    return Group(f"{function}(", ")", items)


def call_with(function: str, *arguments: Expression, keywords: Mapping[str, Any]) -> Group:
    """Write a call with values as keyword arguments, or as one mapping if a key cannot be one."""
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in keywords):
        return call(function, *arguments, **{key: literal(value) for key, value in keywords.items()})
    items = [("", one) for one in arguments] + [("**", literal(keywords))]
    return Group(f"{function}(", ")", items)


def statement(before: str, expression: Expression, indent: int) -> list[str]:
    """Write an expression on lines of its own, after what begins the statement, such as ``reply = ``."""
    return _wrap(expression, f"{' ' * indent}{before}", indent, "").split("\n")


def comparison(left: str, operator: str, right: Expression, indent: int) -> list[str]:
    """Write the assertion of a comparison; only its right side is wrapped, or the whole between brackets."""
    margin = " " * indent
    inner = margin + " " * _INDENT
    line = f"{margin}assert {left} {operator} {right}"
    if (isinstance(right, Group) and right.items) or _measure(line) <= _WIDTH:
        return statement(f"assert {left} {operator} ", right, indent)
    together = f"{inner}{left} {operator} {right}"
    lines = [together] if _measure(together) <= _WIDTH else [f"{inner}{left}", f"{inner}{operator} {right}"]
    return [f"{margin}assert (", *lines, f"{margin})"]


def _measure(text: str) -> int:
    """Return how wide a text is in a terminal, as ruff counts."""
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)


def _wrap(expression: Expression, before: str, indent: int, after: str) -> str:
    """Write an expression on one line if there is room, else each of its parts on a line of its own."""
    line = f"{before}{expression}{after}"
    if not isinstance(expression, Group) or not expression.items or _measure(line) <= _WIDTH:
        return line
    inner = indent + _INDENT
    parts = [_wrap(item, f"{' ' * inner}{label}", inner, ",") for label, item in expression.items]
    return "\n".join([f"{before}{expression.head}", *parts, f"{' ' * indent}{expression.tail}{after}"])


def _write_text(text: str, **names: str) -> str:
    """Write a text in double quotes, or in single ones if that needs fewer escapes."""
    quote = '"' if text.count('"') <= text.count("'") else "'"
    written = "".join(_escape(text, quote))
    for name, variable in names.items():
        written = written.replace(f"{{{{{name}}}}}", f"{{{variable}}}")
    return f"{quote}{written}{quote}"


def _escape(text: str, quote: str) -> Iterable[str]:
    for one in text:
        yield f"\\{one}" if one == quote else one if one in "'\"" else repr(one)[1:-1]


def escape_pattern(text: str) -> str:
    """Escape a text for a regular expression, as a person would."""
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)
