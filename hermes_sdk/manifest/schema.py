"""The JSON Schema of plugin.yaml: the one place for names, types and allowed values of the fields.

Two annotations are ours: ``x-newer-than`` names the last release that ignores a field, ``x-documentation`` marks a
field that no host acts on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.documents import parse_json


def schema_text() -> str:
    """Return the schema as it is shipped (JSON Schema draft 2020-12)."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@cache
def schema() -> dict[str, Any]:
    """Return the schema as a value; do not change it."""
    loaded: dict[str, Any] = parse_json(schema_text())
    return loaded


class Violation(NamedTuple):
    """One place where a manifest departs from the schema.

    Attributes:
        path: Keys and indices that lead to the value.
        keyword: The keyword of JSON Schema that is violated.
        allowed: The value of the keyword: the types, the words, the pattern; for ``required`` the key that is missing.
        value: What stands there.
    """

    path: tuple[str | int, ...]
    keyword: str
    allowed: Any
    value: Any


def violations(value: dict[str, Any]) -> Iterator[Violation]:
    """Yield where a manifest departs from the schema: for each place the wrong type, else everything else.

    The schema uses a handful of keywords, which are interpreted here: a library for all of JSON Schema takes longer to
    import than a check takes. That both agree is tested.
    """
    return _violations(value, schema(), ())


def _violations(value: Any, rules: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Violation]:
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
        yield from _in_mapping(value, rules, path)
    if isinstance(value, list) and "items" in rules:
        for index, item in enumerate(value):
            yield from _violations(item, rules["items"], (*path, index))


def _in_mapping(value: dict[Any, Any], rules: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Violation]:
    yield from (Violation(path, "required", key, value) for key in rules.get("required", ()) if key not in value)
    for key, item in value.items():
        inner = rules.get("properties", {}).get(key, rules.get("additionalProperties"))
        if inner is not None:
            yield from _violations(item, inner, (*path, key))


_TYPES: dict[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int or (isinstance(value, float) and value.is_integer()),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}
