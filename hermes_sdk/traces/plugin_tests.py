"""Source code of plugin tests, formatted as ruff does; used by the inspector and `hermes-sdk codegen`."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.llm import Answer, ToolCall

_WIDTH = 88
_INDENT = 4


@dataclass(frozen=True)
class Group:
    """An expression in brackets, which can be wrapped.

    Attributes:
        head: The text up to the opening bracket, such as ``say(``.
        items: Its parts, each with its prefix, such as ``name=``.
    """

    head: str
    tail: str
    items: Sequence[tuple[str, Expression]] = field(default=())

    def __str__(self) -> str:
        return f"{self.head}{', '.join(f'{label}{item}' for label, item in self.items)}{self.tail}"


Expression = str | Group


def literal(value: Any, **names: str) -> Expression:
    """Write a JSON value; texts with ``{name}`` become f-strings with the variable for the name in `names`."""
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
    """Write a call with keyword arguments, or with one mapping if a key is not a valid argument name."""
    if all(map(_is_plain_name, keywords)):
        return call(function, *arguments, **{key: literal(value) for key, value in keywords.items()})
    items = [("", one) for one in arguments] + [("**", literal(keywords))]
    return Group(f"{function}(", ")", items)


def _is_plain_name(key: str) -> bool:
    """Return whether a key can be the name of an argument; Python normalizes some non-ASCII letters to others."""
    return key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("__")


def statement(before: str, expression: Expression, indent: int) -> list[str]:
    """Write a statement with an expression and the text before it, such as ``reply = ``."""
    return _wrap(expression, f"{' ' * indent}{before}", indent, "").split("\n")


def comparison(left: str, operator: str, right: Expression, indent: int) -> list[str]:
    """Write the assertion of a comparison; if it is too long, wrap its right side, or put it in brackets."""
    margin = " " * indent
    inner = margin + " " * _INDENT
    line = f"{margin}assert {left} {operator} {right}"
    if (isinstance(right, Group) and right.items) or _measure(line) <= _WIDTH:
        return statement(f"assert {left} {operator} ", right, indent)
    together = f"{inner}{left} {operator} {right}"
    lines = [together] if _measure(together) <= _WIDTH else [f"{inner}{left}", f"{inner}{operator} {right}"]
    return [f"{margin}assert (", *lines, f"{margin})"]


def _measure(text: str) -> int:
    """Return the width of a text in a terminal, as ruff counts it."""
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)


def _wrap(expression: Expression, before: str, indent: int, after: str) -> str:
    """Write an expression on one line if it fits, otherwise with one line per part."""
    line = f"{before}{expression}{after}"
    if not isinstance(expression, Group) or not expression.items or _measure(line) <= _WIDTH:
        return line
    inner = indent + _INDENT
    parts = [_wrap(item, f"{' ' * inner}{label}", inner, ",") for label, item in expression.items]
    return "\n".join([f"{before}{expression.head}", *parts, f"{' ' * indent}{expression.tail}{after}"])


def _write_text(text: str, **names: str) -> str:
    """Write a text in double quotes, or in single quotes if that needs fewer escapes."""
    quote = '"' if text.count('"') <= text.count("'") else "'"
    written = "".join(_escape(text, quote))
    for name, variable in names.items():
        written = written.replace(f"{{{{{name}}}}}", f"{{{variable}}}")
    return f"{quote}{written}{quote}"


def _escape(text: str, quote: str) -> Iterable[str]:
    for one in text:
        yield f"\\{one}" if one == quote else one if one in "'\"" else repr(one)[1:-1]


def escape_pattern(text: str) -> str:
    """Escape a text for a regular expression, with only the necessary backslashes."""
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)


Fixture = Literal["hermes", "hermes_gateway"]

_LONGEST_NAME = 50
_HELPERS = ("call", "fail", "interrupt", "say")


@dataclass(frozen=True)
class Check:
    """An assertion about the value of a step.

    Attributes:
        left: The left side of the comparison, in Python.
        value: The expected value, or the pattern that must match.
        part: Whether the left side only has to contain the value.
    """

    left: str
    value: Any
    part: bool = False


@dataclass(frozen=True)
class Step:
    """A step of a test.

    Attributes:
        variable: The variable for the result of the action; empty if there are no assertions.
        main: The answers to add to the model's script before the action.
        aux: The answers to add to the script of the lane ``aux`` before the action.
    """

    action: Expression
    variable: str = ""
    checks: Sequence[Check] = ()
    main: Sequence[Answer] = ()
    aux: Sequence[Answer] = ()


@dataclass(frozen=True)
class PluginTest:
    """A test of a plugin.

    Attributes:
        title: The text from which its name is derived.
        options: The arguments of its marker ``hermes``.
        swallowed: The exceptions that the host swallows, as ``Type: message``.
        builtin_results: The results of built-in tools, if they do not run.
        files: File name -> text, for the files that the test writes first.
        config: The settings that refer to these files; ``{files}`` is their directory.
        http_answers: The answers to HTTP requests of the plugin, if they are not sent.
        data: The plugin's stored data: path in the home -> text.
    """

    title: str
    fixture: Fixture
    steps: Sequence[Step]
    options: Mapping[str, Any] = field(default_factory=dict)
    swallowed: Sequence[str] = ()
    builtin_results: Sequence[Mapping[str, Any]] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    http_answers: Sequence[Mapping[str, Any]] = ()
    data: Mapping[str, str] = field(default_factory=dict)


def write_test(test: PluginTest, *, snapshot: bool = False) -> str:
    """Write a module with a test, formatted as ruff does.

    Args:
        snapshot: Whether to write expected values as snapshots of inline-snapshot.
    """
    host = "hermes" if test.fixture == "hermes" else "hermes_gateway.host"
    body = [*_write_data(test, f"{host}.home"), *_write_files(test)]
    for error in dict.fromkeys(test.swallowed):
        pattern = _write_pattern(escape_pattern(error))
        body += statement("", call(f"{host}.expect_swallowed", match=pattern), _INDENT)
    if test.builtin_results:
        results = literal(test.builtin_results)
        body += statement("", call(f"{host}.observe_builtins", results), _INDENT)
    if test.http_answers:
        body += statement("", call(f"{host}.observe_http", literal(test.http_answers)), _INDENT)
    for number, step in enumerate(test.steps):
        # A blank line separates a step with a script from the step before it.
        if number and (step.main or step.aux):
            body.append("")
        body += _write_step(step, test.fixture, snapshot=snapshot)
    if test.http_answers:
        body += [f"{' ' * _INDENT}assert {host}.http_problems() == []"]
    fixtures = f"{test.fixture}, tmp_path" if test.files else test.fixture
    lines = [f"def test_{_make_name(test.title)}({fixtures}):", *body]
    if test.options:
        marker = call("@pytest.mark.hermes", **{key: literal(value) for key, value in test.options.items()})
        lines[:0] = statement("", marker, 0)
    text = "\n".join(lines) + "\n"
    imports = _write_imports(_list_names(text))
    return f"{imports}\n\n\n{text}" if imports else text


def _write_data(test: PluginTest, home: str) -> Iterator[str]:
    """Write the lines that store the plugin's data."""
    folders = dict.fromkeys(name.rpartition("/")[0] for name in test.data)
    for folder in folders:
        if not any(other.startswith(f"{folder}/") for other in folders):
            made = call(f"({home} / {literal(folder)}).mkdir", parents="True", exist_ok="True")
            yield from statement("", made, _INDENT)
    for name, text in test.data.items():
        yield from statement("", call(f"({home} / {literal(name)}).write_text", literal(text)), _INDENT)


def _write_files(test: PluginTest) -> Iterator[str]:
    for name, text in test.files.items():
        file = f"(tmp_path / {literal(name)})"
        yield from statement("", call(f"{file}.write_text", literal(text)), _INDENT)
        if text.startswith("#!"):
            yield from statement("", call(f"{file}.chmod", "0o755"), _INDENT)
    if test.config or test.data:
        # A loaded plugin may not read its data again.
        config = {"config": literal(test.config, files="tmp_path")} if test.config else {}
        yield from statement("", call(f"{test.fixture}.configure", **config), _INDENT)


def _list_names(text: str) -> set[str]:
    """Return the names that a test uses.

    Raises:
        UsageError: Python cannot parse the test, because a value is too deeply nested.
    """
    try:
        return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    except (SyntaxError, MemoryError, RecursionError):
        raise UsageError(
            "a value is nested too deeply for a test", fix="Record a session with simpler values."
        ) from None


def _write_imports(names: Set[str]) -> str:
    standard = ["import re"] if "re" in names else []
    foreign = ["import pytest"] if "pytest" in names else []
    used = [name for name in _HELPERS if name in names]
    foreign += [f"from hermes_sdk.testing import {', '.join(used)}"] if used else []
    foreign += ["from inline_snapshot import snapshot"] if "snapshot" in names else []
    return "\n\n".join("\n".join(part) for part in (standard, foreign) if part)


def _make_name(title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
    return words if len(words) <= _LONGEST_NAME else words[:_LONGEST_NAME].rpartition("_")[0]


def _write_step(step: Step, fixture: str, *, snapshot: bool) -> Iterator[str]:
    for lane, answers in ((f"{fixture}.llm", step.main), (f"{fixture}.llm.aux", step.aux)):
        if answers:
            yield from statement("", call(f"{lane}.script", *map(_write_answer, answers)), _INDENT)
    yield from statement(f"{step.variable} = " if step.variable else "", step.action, _INDENT)
    for check in step.checks:
        yield from _write_check(check, snapshot=snapshot)


def _write_check(check: Check, *, snapshot: bool) -> Iterable[str]:
    if isinstance(check.value, re.Pattern):
        matched = call("re.fullmatch", _write_pattern(check.value.pattern), check.left)
        return statement("assert ", matched, _INDENT)
    if check.value is None or isinstance(check.value, bool):
        return comparison(check.left, "is", repr(check.value), _INDENT)
    value = literal(check.value)
    if check.part:
        return comparison(str(value), "in", check.left, _INDENT)
    return comparison(check.left, "==", call("snapshot", value) if snapshot else value, _INDENT)


def _write_pattern(pattern: str) -> Expression:
    """Write a regular expression, as a raw string if possible."""
    quote = '"' if '"' not in pattern else "'"
    if pattern.isprintable() and quote not in pattern and not pattern.endswith("\\"):
        return f"r{quote}{pattern}{quote}"
    return literal(pattern)


def _write_answer(answer: Answer) -> Expression:
    if answer.interrupts:
        return call("interrupt")
    if answer.status is not None:
        return call("fail", literal(answer.status), literal(answer.error))
    # Omit details with a count of 0.
    usage = answer.usage and {name: count for name, count in answer.usage.items() if count or "." not in name}
    given = {"reasoning": answer.reasoning, "usage": usage, "finish_reason": answer.finish_reason}
    further = {name: literal(value) for name, value in given.items() if value is not None}
    calls = [_write_tool_call(one) for one in answer.tool_calls]
    if len(calls) == 1 and not answer.text and not further:
        return calls[0]
    return call(
        "say", *([literal(answer.text or "")] if answer.text or calls or not further else []), *calls, **further
    )


def _write_tool_call(one: ToolCall) -> Expression:
    try:
        arguments = parse_json(one.arguments)
    except ValueError:
        arguments = one.arguments
    if not isinstance(arguments, dict):
        return call("call", literal(one.name), literal(one.arguments))
    return call_with("call", literal(one.name), keywords=arguments)
