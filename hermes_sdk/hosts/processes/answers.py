"""Answers of a child process: the layers of its isolation, and its result. Neither is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from hermes_sdk.errors import HermesSdkError, UnavailableError

_EVENT = {"t": int, "kind": str, "name": str, "thread": str}

_read_fields: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def has_shape(value: Any, expected: Any) -> bool:
    """Return whether a value parsed from JSON has a type.

    Supported types are typed dicts, dataclasses (as dicts of their fields), lists, dicts, unions and literals.
    """
    origin, arguments = get_origin(expected), get_args(expected)
    if expected is Any:
        return True
    if is_typeddict(expected):
        fields = _read_fields(expected)
        return (
            isinstance(value, dict)
            and expected.__required_keys__ <= value.keys() <= fields.keys()
            and all(has_shape(value[name], fields[name]) for name in value)
        )
    if is_dataclass(expected):
        fields = _read_fields(expected)
        return (
            isinstance(value, dict)
            and value.keys() == fields.keys()
            and all(has_shape(value[name], fields[name]) for name in fields)
        )
    if origin in (Union, UnionType):
        return any(has_shape(value, one) for one in arguments)
    if origin is Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(has_shape(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(has_shape(one, arguments[1]) for one in value.values())
    return value is None if expected is NoneType else type(value) is expected


def is_event(value: Any) -> bool:
    """Return whether a value parsed from JSON is an event of a `Recording`."""
    return (
        isinstance(value, dict)
        and all(type(value.get(name)) is kind for name, kind in _EVENT.items())
        and (value["kind"] != "hook" or "callback" in value)
        and ("callback" not in value or isinstance(value.get("arguments"), dict))
        and type(value.get("end", 0)) is int
    )


LIMIT = 32_000_000
"""The maximum size of an answer in bytes."""


def read(sent: bytes, isolated: bool, required: Iterable[str]) -> tuple[tuple[str, ...], Any]:
    """Parse the complete output of a child: a line with the layers if it is `isolated`, and a line with the result.

    Returns:
        The layers, and the result; None if the child ended without one.

    Raises:
        LayersMissingError: A required layer is missing.
        HermesSdkError: The output is not valid.
    """
    if len(sent) > LIMIT:
        raise invalid_answer(f"more than {LIMIT // 1_000_000} MB")
    lines = sent.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    layers: tuple[str, ...] = ()
    if isolated and lines:
        # The child sends this line before untrusted code runs.
        layers = tuple(_parse(lines.pop(0)))
        require_layers(required, layers)
    if len(lines) > 1:
        raise invalid_answer("more than one result")
    return layers, _parse(lines[0]) if lines else None


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise invalid_answer("invalid JSON") from None


def read_line(line: bytes) -> dict[str, Any]:
    """Parse one answer of a process that keeps running.

    Raises:
        EOFError: The process ended before it sent the complete answer.
        HermesSdkError: The answer is not valid.
    """
    if len(line) > LIMIT:
        raise invalid_answer(f"more than {LIMIT // 1_000_000} MB")
    if not line.endswith(b"\n"):
        raise EOFError
    answer = _parse(line)
    if not isinstance(answer, dict):
        raise invalid_answer("a value that is not a JSON object")
    return answer


def invalid_answer(what: str) -> HermesSdkError:
    """Create the error for an invalid answer, which only plugin code can have sent."""
    return HermesSdkError(
        f"the process that runs the plugin sent an invalid answer: {what}.",
        fix="The plugin writes to a file descriptor that it did not open. Remove that code.",
    )


class LayersMissingError(UnavailableError):
    """Raised if the machine lacks required layers of the isolation."""


def require_layers(required: Iterable[str], entered: Collection[str]) -> None:
    """Check that a child has entered the required layers of `isolation`.

    Raises:
        LayersMissingError: A required layer is missing.
    """
    if missing := [layer for layer in required if layer not in entered]:
        raise LayersMissingError(
            f"this machine cannot isolate the plugin fully; missing: {', '.join(missing)}.",
            fix="Run the check on Linux 5.13 or newer (x86-64 or ARM) that allows user namespaces, or without "
            "--require-isolation.",
        )
