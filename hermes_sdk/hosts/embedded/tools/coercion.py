"""Arguments as the model wrote them, turned into the types that a tool's schema declares (statement C20).

Models write ``"42"`` for ``42``, ``"true"`` for ``true`` and whole lists as JSON text. The host repairs what it can
repair without doubt and leaves the rest as it is.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

_log = logging.getLogger("model_tools")


def coerce(tool: str, args: dict[str, Any], schema: Mapping[str, Any], *, nested: bool) -> None:
    """Coerce the arguments of one call, in place.

    Args:
        tool: The tool's name, for the log.
        args: The arguments; values are replaced.
        schema: The tool's schema, whose ``parameters`` declare the types.
        nested: Whether the release also repairs JSON text inside of lists and objects.
    """
    properties = (schema.get("parameters") or {}).get("properties")
    if not properties:
        return
    for name, value in list(args.items()):
        declared = properties.get(name)
        if declared:
            args[name] = _argument(f"{tool}.{name}", value, declared, nested)


def _argument(where: str, value: Any, declared: Any, nested: bool) -> Any:
    expected = declared.get("type")
    if isinstance(value, str):
        if expected == "array":
            return _list_from_text(where, value, declared)
        return _from_declared_text(value, expected, declared, nested)
    if expected == "array" and value is not None and not isinstance(value, (list, tuple)):
        _log.info("coerce_tool_args: wrapped bare %s in list for %s", type(value).__name__, where)
        return [value]
    if nested and ((expected == "array" and value is not None) or (expected == "object" and isinstance(value, dict))):
        return _repaired(value, declared)
    return value


def _list_from_text(where: str, text: str, declared: Any) -> Any:
    value = _from_text(text, "array", declared)
    if value is not text:
        return value
    if text.strip().startswith("["):
        _log.warning(
            "coerce_tool_args: %s looks like a JSON array string but could not be parsed — model may have emitted a "
            "JSON-encoded string instead of a native array. Falling back to single-element list.",
            where,
        )
    _log.info("coerce_tool_args: wrapped bare string in list for %s", where)
    return [text]


def _from_declared_text(text: str, expected: Any, declared: Any, nested: bool) -> Any:
    if not expected and not _allows_null(declared):
        return text
    value = _from_text(text, expected, declared)
    return _repaired(value, declared) if nested and value is not text else value


def _from_text(text: str, expected: Any, declared: Any) -> Any:
    """Return the value that a text stands for, or the very same text when it stands for itself."""
    if _allows_null(declared) and text.strip().lower() == "null":
        return None
    for kind in expected if isinstance(expected, list) else [expected]:
        read = _READERS.get(kind)
        if read is not None and (value := read(text)) is not text:
            return value
    return text


def _integer(text: str) -> int | str:
    value = _number(text)
    return text if isinstance(value, float) else value


def _number(text: str) -> int | float | str:
    try:
        value = float(text)
        whole = int(value)
    except (ValueError, OverflowError):
        # int() refuses infinity and NaN: JSON cannot carry them, so the text stays.
        return text
    return whole if value == whole else value


def _boolean(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text.strip().lower(), text)


def _json_reader(kind: type) -> Callable[[str], Any]:
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


_READERS: dict[Any, Callable[[str], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _json_reader(list),
    "object": _json_reader(dict),
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


def _repaired(value: Any, schema: Any) -> Any:
    """Parse JSON text inside of a list or an object wherever the schema expects a list or an object there.

    What needs no repair is returned as the same object, as on the host: a handler may hold on to it.
    """
    if not isinstance(schema, dict):
        return value
    if isinstance(value, str):
        value = _container(value, schema)
    if isinstance(value, list):
        items = [_repaired(item, schema.get("items")) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        inside = {name: _repaired(value[name], properties[name]) for name in properties if name in value}
        return {**value, **inside} if any(inside[name] is not value[name] for name in inside) else value
    return value


def _container(text: str, schema: dict[str, Any]) -> Any:
    kind = {"[": "array", "{": "object"}.get(text.strip()[:1])
    if kind is None or not _accepts(schema, kind):
        return text
    try:
        return json.loads(text.strip())
    except ValueError:
        return text


def _accepts(schema: Any, kind: str) -> bool:
    if not isinstance(schema, dict):
        return False
    declared = schema.get("type")
    if declared == kind or (isinstance(declared, list) and kind in declared):
        return True
    unions = [schema.get(union) for union in ("anyOf", "oneOf", "allOf")]
    return any(_accepts(branch, kind) for union in unions if isinstance(union, list) for branch in union)
