"""Arguments that a model could send to a tool, generated from its JSON Schema and a seed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

TEXTS = (
    "",
    " ",
    "'; DROP TABLE notes; --",
    '"unbalanced ( OR * NEAR',
    "../../../../etc/passwd",
    "{{7*7}} ${HOME} %s {0}",
    "\x00\x1b[31m\u202e",
    "\ud800",
    "\U0001f984 \u0301 \u200d",
    "x" * 50_000,
)
"""Texts that break queries, templates and commands built from text."""

_MIXTURES = 16
_WRONG: tuple[Any, ...] = (None, True, 0, -1, 2**63, 1e308, "", "text", [], [None], {}, {"a": {"b": []}})


def valid(schema: Mapping[str, Any]) -> Any:
    """Return a value that a JSON Schema allows."""
    for key in ("default", "const"):
        if key in schema:
            return copy.deepcopy(schema[key])
    for key in ("enum", "examples"):
        if schema.get(key):
            return copy.deepcopy(schema[key][0])
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return valid(schema[key][0])
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind in _PLAIN:
        return _PLAIN[kind]
    make: Callable[[Mapping[str, Any]], Any] = _MAKING.get(kind, _text)
    return make(schema)


def _text(schema: Mapping[str, Any]) -> str:
    return "notes".ljust(int(schema.get("minLength", 0)), "x")[: schema.get("maxLength")]


def _make_number(schema: Mapping[str, Any]) -> Any:
    low, high = schema.get("minimum"), schema.get("maximum")
    return low if low is not None else min(1, high) if high is not None else 1


def _make_array(schema: Mapping[str, Any]) -> list[Any]:
    return [valid(schema.get("items") or {}) for _ in range(max(1, int(schema.get("minItems", 0))))]


def _make_object(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: valid(one) for name, one in (schema.get("properties") or {}).items()}


_MAKING: Mapping[Any, Callable[[Mapping[str, Any]], Any]] = {
    "string": _text,
    "integer": _make_number,
    "number": _make_number,
    "array": _make_array,
    "object": _make_object,
}
_PLAIN = {"boolean": True, "null": None}


def hostile(parameters: Mapping[str, Any], seed: int) -> Iterator[dict[str, Any]]:
    """Yield arguments at and beyond the limits of a tool's parameters.

    Args:
        parameters: The JSON Schema of the arguments.
        seed: Seed of random combinations.
    """
    good = _make_object(parameters)
    yield {}
    yield {**good, "an_argument_that_nobody_knows": [{"deep": None}]}
    values = [*_WRONG, *TEXTS]
    for name, schema in (parameters.get("properties") or {}).items():
        yield {key: value for key, value in good.items() if key != name}
        for value in (*values, *_list_limits(schema)):
            yield {**good, name: value}
    chooser = random.Random(seed)
    for _ in range(_MIXTURES):
        yield {name: copy.deepcopy(chooser.choice(values)) for name in good}


def _list_limits(schema: Mapping[str, Any]) -> Iterator[Any]:
    for key, step in (("minimum", -1), ("maximum", 1)):
        if isinstance(schema.get(key), (int, float)):
            yield schema[key]
            yield schema[key] + step
    if schema.get("enum"):
        yield from schema["enum"]
        yield str(schema["enum"][0]).upper()


def format_arguments(arguments: Any) -> str:
    """Format arguments for a message, as shortened JSON."""
    text = json.dumps(arguments)
    return text if len(text) <= 200 else f"{text[:200]}…"
