"""Coercion of arguments from the model to the types that a tool's schema declares (C20).

Models write ``"42"`` for ``42``, ``"true"`` for ``true``, and lists as JSON text. The host converts unambiguous values
and leaves others unchanged.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

_log = logging.getLogger("model_tools")


class UnusableSchema(Exception):
    """Raised if a tool's schema is not a JSON Schema; the text is Python's error message."""


def coerce(tool: str, args: dict[str, Any], schema: Mapping[str, Any], *, follow: bool = True) -> None:
    """Coerce the arguments of one call in place, including JSON text within lists and objects.

    With `follow`, references within the schema are resolved.

    Raises:
        UnusableSchema: A part of the schema is not a mapping.
    """
    try:
        _coerce_all(tool, args, schema, follow=follow)
    except (AttributeError, TypeError) as error:
        raise UnusableSchema(str(error)) from error


def _coerce_all(tool: str, args: dict[str, Any], schema: Mapping[str, Any], *, follow: bool) -> None:
    parameters = schema.get("parameters") or {}
    properties = parameters.get("properties")
    if not properties:
        return
    root = parameters if follow else None
    for name, value in list(args.items()):
        declared = properties.get(name)
        if declared:
            args[name] = _coerce_argument(f"{tool}.{name}", value, _resolve(declared, root), root)


def _resolve(schema: Any, root: Any, seen: frozenset[str] = frozenset()) -> Any:
    """Return the target of a schema's reference within `root`, with the schema's own additional keys."""
    reference = schema.get("$ref") if isinstance(schema, dict) and isinstance(root, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#") or reference in seen:
        return schema
    pointer = unquote(reference[1:])
    target = _follow_pointer(root, pointer) if pointer.startswith("/") or not pointer else None
    if not isinstance(target, dict):
        return schema
    resolved = _resolve(target, root, seen | {reference})
    return {**{key: value for key, value in schema.items() if key != "$ref"}, **resolved}


def _follow_pointer(root: Any, pointer: str) -> Any:
    """Return the target of a JSON pointer, or None."""
    node = root
    for step in pointer.split("/")[1:]:
        if re.search("~(?![01])", step):
            return None
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(key)
        elif isinstance(node, list) and re.fullmatch("0|[1-9][0-9]*", key) and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node


def _coerce_argument(where: str, value: Any, declared: Any, root: Any) -> Any:
    expected = declared.get("type")
    if isinstance(value, str):
        if expected == "array":
            return _parse_list(where, value, declared)
        return _parse_declared(value, expected, declared, root)
    if expected == "array" and value is not None and not isinstance(value, (list, tuple)):
        _log.info("coerce_tool_args: wrapped bare %s in list for %s", type(value).__name__, where)
        return [value]
    if (expected == "array" and value is not None) or (expected == "object" and isinstance(value, dict)):
        return _repair(value, declared, root)
    return value


def _parse_list(where: str, text: str, declared: Any) -> Any:
    value = _parse_text(text, "array", declared)
    if value is not text:
        return value
    if text.strip().startswith("["):
        _log.warning(
            "coerce_tool_args: %s looks like a JSON array string but could not be parsed — the"
            " argument becomes a list with it.",
            where,
        )
    _log.info("coerce_tool_args: wrapped bare string in list for %s", where)
    return [text]


def _parse_declared(text: str, expected: Any, declared: Any, root: Any) -> Any:
    if not expected and not _allows_null(declared):
        return text
    value = _parse_text(text, expected, declared)
    return _repair(value, declared, root) if value is not text else value


def _parse_text(text: str, expected: Any, declared: Any) -> Any:
    """Parse a text as one of the expected types; return the same object if that is not possible."""
    if _allows_null(declared) and text.strip().lower() == "null":
        return None
    for kind in expected if isinstance(expected, list) else [expected]:
        parse = _PARSERS.get(kind)
        if parse is not None and (value := parse(text)) is not text:
            return value
    return text


def _parse_integer(text: str) -> int | str:
    value = _parse_number(text)
    return text if isinstance(value, float) else value


def _parse_number(text: str) -> int | float | str:
    try:
        value = float(text)
        whole = int(value)
    except (ValueError, OverflowError):
        # int() rejects infinity and NaN, which JSON cannot represent: return the text.
        return text
    return whole if value == whole else value


def _parse_boolean(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text.strip().lower(), text)


def _make_json_parser(kind: type) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            value = json.loads(text)
        except ValueError as error:
            _log.warning(
                "coerce_tool_args: failed to parse string as JSON for expected type %s: %s", kind.__name__, error
            )
            return text
        if isinstance(value, kind):
            return value
        _log.warning(
            "coerce_tool_args: JSON-parsed value is %s, expected %s — skipping coercion",
            type(value).__name__,
            kind.__name__,
        )
        return text

    return parse


_PARSERS: dict[Any, Callable[[str], Any]] = {
    "integer": _parse_integer,
    "number": _parse_number,
    "boolean": _parse_boolean,
    "array": _make_json_parser(list),
    "object": _make_json_parser(dict),
}


def _allows_null(declared: Any) -> bool:
    kind = declared.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind) or declared.get("nullable") is True:
        return True
    branches = [declared.get(union) for union in ("anyOf", "oneOf")]
    return any(
        isinstance(branch, dict) and branch.get("type") == "null"
        for union in branches
        if isinstance(union, list)
        for branch in union
    )


def _repair(value: Any, schema: Any, root: Any) -> Any:
    """Parse JSON text within a list or object where the schema expects a list or object.

    Without changes, the same object is returned, as on the host: handlers may rely on its identity.
    """
    if not isinstance(schema, dict):
        return value
    schema = _resolve(schema, root)
    if isinstance(value, str):
        value = _parse_container(value, schema, root)
    if isinstance(value, list):
        items = [_repair(item, schema.get("items"), root) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        repaired = {name: _repair(value[name], properties[name], root) for name in properties if name in value}
        return {**value, **repaired} if any(repaired[name] is not value[name] for name in repaired) else value
    return value


def _parse_container(text: str, schema: dict[str, Any], root: Any) -> Any:
    kind = {"[": "array", "{": "object"}.get(text.strip()[:1])
    if kind is None or not _accepts(schema, kind, root):
        return text
    try:
        return json.loads(text.strip())
    except ValueError:
        return text


def _accepts(schema: Any, kind: str, root: Any, above: frozenset[int] = frozenset()) -> bool:
    """Return whether a schema allows lists or objects; `above` are the ids of the enclosing schemas."""
    if not isinstance(schema, dict) or id(schema) in above:
        return False
    above |= {id(schema)}
    schema = _resolve(schema, root)
    declared = schema.get("type")
    if declared == kind or (isinstance(declared, list) and kind in declared):
        return True
    unions = [schema.get(union) for union in ("anyOf", "oneOf", "allOf")]
    return any(_accepts(branch, kind, root, above) for union in unions if isinstance(union, list) for branch in union)
