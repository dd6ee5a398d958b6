"""Snapshots of arguments and results of plugins' callbacks, as JSON."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import inspect
import json
from types import SimpleNamespace
from typing import Any

# The maximum depth, and the maximum number of mappings and lists, of a value that JSON cannot represent directly.
_DEPTH = 12
_SIZE = 10_000


def snapshot(value: Any) -> str:
    """Return a value as JSON text.

    Tuples become lists. Dataclasses, namespaces, pydantic models and enum members become mappings with their fields and
    ``__type__``. Other objects become mappings with only ``__type__``, and ``name`` for functions; so do values whose
    own code raises an exception, such as an ``__iter__``.
    """
    with contextlib.suppress(Exception):
        return _encode(value)
    # Suppressed: keys that JSON cannot represent, recursive or deeply nested values, and exceptions of their own code.
    with contextlib.suppress(Exception):
        return _encode(_Bounded().form(value))
    return _encode(_name_type(value))


def plain(value: Any) -> Any:
    """Return a value as JSON values; see `snapshot`."""
    return json.loads(snapshot(value))


def _describe(value: Any) -> Any:
    """Convert a value that JSON cannot represent to JSON values."""
    try:
        if isinstance(value, (set, frozenset)):
            return sorted(value, key=repr)
        return {**_name_type(value), **_fields(value)}
    except Exception:
        # Properties of objects of plugins, and the `repr` of enum members, run plugin code, which may raise exceptions.
        return _name_type(value)


def _name_type(value: Any) -> dict[str, str]:
    return {"__type__": type(value).__name__}


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, enum.Enum):
        return {"value": value.value}
    if isinstance(value, BaseException):
        return {"text": str(value)}
    if isinstance(value, SimpleNamespace):
        return vars(value)
    if isinstance(value, type) or inspect.isroutine(value):
        return {"name": value.__qualname__}
    names = getattr(type(value), "model_fields", ())
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    # Fields of a dataclass may not have values yet.
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


_encode = json.JSONEncoder(default=_describe, ensure_ascii=False).encode


class _Bounded:
    """Converter of values to JSON values that truncates deeply nested, recursive and large values."""

    def __init__(self) -> None:
        self._left = _SIZE
        self._around: set[int] = set()

    def form(self, value: Any, depth: int = _DEPTH) -> Any:
        if isinstance(value, (str, int, float)) or value is None:
            return value
        self._left -= 1
        if depth == 0 or self._left < 0 or id(value) in self._around:
            return _name_type(value)
        self._around.add(id(value))
        try:
            return self._convert_items(value, depth - 1)
        except Exception:
            return _name_type(value)
        finally:
            self._around.remove(id(value))

    def _convert_items(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            return {str(key): self.form(item, depth) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.form(item, depth) for item in value]
        return self.form(_describe(value), depth)
