"""The JSON Schema of plugin.yaml, the only definition of the fields' names, types and allowed values.

It has two custom annotations: ``x-newer-than`` is the last release that ignores a field, and ``x-documentation`` marks
a field that no host acts on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.documents import parse_json


def schema_text() -> str:
    """Return the schema as shipped (JSON Schema draft 2020-12)."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@cache
def schema() -> dict[str, Any]:
    """Return the parsed schema; callers must not change it."""
    loaded: dict[str, Any] = parse_json(schema_text())
    return loaded


class Violation(NamedTuple):
    """A violation of the schema.

    Attributes:
        path: Keys and indices of the value.
        keyword: The violated keyword of JSON Schema.
        allowed: The value of the keyword: the types, the allowed values or the pattern; for ``required``, the missing
            key.
        value: The invalid value.
    """

    path: tuple[str | int, ...]
    keyword: str
    allowed: Any
    value: Any


def violations(value: dict[str, Any]) -> Iterator[Violation]:
    """Yield the violations of the schema in a manifest; a value of the wrong type is not checked further.

    Only the few keywords that the schema uses are implemented: importing a library for all of JSON Schema takes longer
    than a check. Tests verify that both agree.
    """
    return _check_value(value, schema(), ())


def _check_value(value: Any, rules: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Violation]:
    if "$ref" in rules:
        rules = schema()["$defs"][rules["$ref"].rpartition("/")[2]]
    types = rules.get("type", [])
    if types and not any(_TYPES[name](value) for name in ([types] if isinstance(types, str) else types)):
        yield Violation(path, "type", types, value)
        return
    if "enum" in rules and value not in rules["enum"]:
        yield Violation(path, "enum", rules["enum"], value)
    if "pattern" in rules and isinstance(value, str) and not re.search(rules["pattern"], value):
        yield Violation(path, "pattern", rules["pattern"], value)
    if isinstance(value, dict):
        yield from _check_mapping(value, rules, path)
    if isinstance(value, list) and "items" in rules:
        for index, item in enumerate(value):
            yield from _check_value(item, rules["items"], (*path, index))


def _check_mapping(value: dict[Any, Any], rules: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Violation]:
    yield from (Violation(path, "required", key, value) for key in rules.get("required", ()) if key not in value)
    for key, item in value.items():
        inner = rules.get("properties", {}).get(key, rules.get("additionalProperties"))
        if inner is not None:
            yield from _check_value(item, inner, (*path, key))


_TYPES: dict[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int or (isinstance(value, float) and value.is_integer()),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}
