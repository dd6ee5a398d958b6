"""Coercion of arguments from the model to the types that a tool's schema declares (statement C20).

Models write ``"42"`` for ``42``, ``"true"`` for ``true`` and whole lists as JSON text. The host repairs what is
unambiguous and leaves the rest unchanged.
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
    """The schema of a tool is not a JSON Schema; the text says what Python says of it."""


def coerce(tool: str, args: dict[str, Any], schema: Mapping[str, Any], *, follow: bool = True) -> None:
    """Coerce the arguments of one call in place, including JSON text inside of lists and objects.

    With `follow`, references within the schema are followed.

    Raises:
        UnusableSchema: What should be a mapping in the schema is none.
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
    """Return what a schema refers to within `root`, with its own keys that this lacks; anything else stays."""
    reference = schema.get("$ref") if isinstance(schema, dict) and isinstance(root, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#") or reference in seen:
        return schema
    pointer = unquote(reference[1:])
    target = _find(root, pointer) if pointer.startswith("/") or not pointer else None
    if not isinstance(target, dict):
        return schema
    resolved = _resolve(target, root, seen | {reference})
    return {**{key: value for key, value in schema.items() if key != "$ref"}, **resolved}


def _find(root: Any, pointer: str) -> Any:
    """Return what a JSON pointer points to; None if there is nothing."""
    found = root
    for step in pointer.split("/")[1:]:
        if re.search("~(?![01])", step):
            return None
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(key)
        elif isinstance(found, list) and re.fullmatch("0|[1-9][0-9]*", key) and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found


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
    """Return the value that a text stands for, or the same text when it stands for itself."""
    if _allows_null(declared) and text.strip().lower() == "null":
        return None
    for kind in expected if isinstance(expected, list) else [expected]:
        read = _PARSERS.get(kind)
        if read is not None and (value := read(text)) is not text:
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
        # int() refuses infinity and NaN: JSON cannot carry them, so the text stays.
        return text
    return whole if value == whole else value


def _parse_boolean(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text.strip().lower(), text)


def _make_json_parser(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
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

    return read


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
    """Parse JSON text inside of a list or an object wherever the schema expects a list or an object there.

    What needs no repair is returned as the same object, as on the host: a handler may keep it.
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
        inside = {name: _repair(value[name], properties[name], root) for name in properties if name in value}
        return {**value, **inside} if any(inside[name] is not value[name] for name in inside) else value
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
    """Return whether a schema allows lists or objects; `above` are the schemas that it is a branch of."""
    if not isinstance(schema, dict) or id(schema) in above:
        return False
    above |= {id(schema)}
    schema = _resolve(schema, root)
    declared = schema.get("type")
    if declared == kind or (isinstance(declared, list) and kind in declared):
        return True
    unions = [schema.get(union) for union in ("anyOf", "oneOf", "allOf")]
    return any(_accepts(branch, kind, root, above) for union in unions if isinstance(union, list) for branch in union)
