"""Whether a value that a stranger sent has the shape that a type describes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

_EVENT = {"t": int, "kind": str, "name": str, "thread": str}

_read_fields: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def has_shape(value: Any, expected: Any) -> bool:
    """Tell whether a value parsed from JSON is what a type describes: typed dicts, the
    fields of dataclasses, lists, dicts, unions and literals.
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
    """Tell whether a value parsed from JSON is an event of a `Recording`."""
    return (
        isinstance(value, dict)
        and all(type(value.get(name)) is kind for name, kind in _EVENT.items())
        and (value["kind"] != "hook" or "callback" in value)
        and ("callback" not in value or isinstance(value.get("arguments"), dict))
        and type(value.get("end", 0)) is int
    )
