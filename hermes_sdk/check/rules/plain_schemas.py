"""Recognizes JSON Schemas that are valid at first sight: most of them are, and to import jsonschema takes long."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

TYPE_NAMES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def is_plain(schema: Any) -> bool:
    """Whether a schema uses nothing but common keywords, each as it should; False says nothing."""
    if not isinstance(schema, Mapping):
        return isinstance(schema, bool)
    return all(key in _KEYWORDS and _KEYWORDS[key](value) for key, value in schema.items())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


_KEYWORDS: Mapping[str, Callable[[Any], bool]] = {
    "type": lambda value: isinstance(value, str) and value in TYPE_NAMES,
    "title": _is_text,
    "description": _is_text,
    "properties": lambda value: isinstance(value, Mapping) and all(map(is_plain, value.values())),
    "required": _is_names,
    "additionalProperties": is_plain,
    "items": is_plain,
    "enum": lambda value: isinstance(value, list),
    "default": lambda _: True,
    "minimum": _is_number,
    "maximum": _is_number,
    "minLength": _is_size,
    "maxLength": _is_size,
    "minItems": _is_size,
    "maxItems": _is_size,
}
