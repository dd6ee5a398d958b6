"""Registry entries, and the definitions of tools for a model (C12, C14)."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

BUILTIN = "<hermes>"
"""The owner of the host's own tools."""
JsonObject = dict[str, Any]
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_NAMED_SCHEMAS = frozenset({"$defs", "definitions", "properties"})
_NAMED_SCHEMAS_MORE = _NAMED_SCHEMAS | {"dependentSchemas", "patternProperties"}
_SCHEMAS = frozenset({"additionalProperties", "items"})
_SUBSCHEMAS = frozenset(
    {
        "additionalItems",
        "allOf",
        "anyOf",
        "contains",
        "else",
        "if",
        "not",
        "oneOf",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_VALUES = frozenset({"enum", "examples", "required"})
_FORBIDDEN_KEYS = ("allOf", "anyOf", "enum", "not", "oneOf")
_INHERITED_KEYS = ("title", "description", "default", "examples")
_log = logging.getLogger("model_tools")


class ToolEntry(NamedTuple):
    """A registered tool.

    Attributes:
        owner: The key of its plugin, or `BUILTIN`.
        complete: Completes the entry of a built-in tool for a context, which imports the module of the tool.
    """

    name: str
    toolset: str
    schema: Any
    handler: Callable[..., Any]
    check_fn: Callable[[], Any] | None
    requires_env: list[Any]
    is_async: bool
    description: str
    emoji: str
    owner: str
    complete: Callable[[ToolEntry, Any], ToolEntry] | None = None


def definitions(
    entries: Iterable[ToolEntry], available: Callable[[Callable[[], Any]], bool], lists_required: bool
) -> list[JsonObject]:
    """Describe tools as OpenAI function entries, sorted by name; the stored name wins over the schema's.

    `available` is called once for each ``check_fn``. With `lists_required`, objects always have a ``required`` list,
    and unknown keys are left unchanged.
    """
    answers: dict[Callable[[], Any], bool] = {}
    offered: list[JsonObject] = []
    for entry in sorted(entries, key=lambda entry: entry.name):
        check_fn = entry.check_fn
        if check_fn:
            if check_fn not in answers:
                answers[check_fn] = available(check_fn)
            if not answers[check_fn]:
                continue
        offered.append({"type": "function", "function": {**entry.schema, "name": entry.name}})
    try:
        return [{**tool, "function": sanitise(tool["function"], lists_required)} for tool in offered]
    except Exception as error:
        _log.warning("Schema sanitization skipped: %s", error)
        return offered


def sanitise(function: Mapping[str, Any], lists_required: bool) -> JsonObject:
    """Return a copy of a function entry with ``parameters`` that every model backend accepts."""
    clean = copy.deepcopy(dict(function))
    parameters = clean.get("parameters")
    clean["parameters"] = (
        _sanitise_root(parameters, lists_required) if isinstance(parameters, dict) else _empty_object(lists_required)
    )
    return clean


def _sanitise_root(parameters: JsonObject, lists_required: bool) -> JsonObject:
    top = _sanitise_node(parameters, lists_required)
    top["type"] = "object"
    if not isinstance(top.get("properties"), dict):
        top["properties"] = {}
    if lists_required and not isinstance(top.get("required"), list):
        top["required"] = []
    top = _collapse_nullable(top)
    for key in _FORBIDDEN_KEYS:
        top.pop(key, None)
    result: JsonObject = _drop_ref_default(top)
    return result


def _empty_object(lists_required: bool) -> JsonObject:
    return {"type": "object", "properties": {}, **({"required": []} if lists_required else {})}


def _sanitise_node(node: Any, lists_required: bool) -> Any:
    if isinstance(node, str):
        return {"type": node} if node in _TYPES - {"object"} else _empty_object(lists_required)
    if isinstance(node, list):
        return [_sanitise_node(item, lists_required) for item in node]
    if not isinstance(node, dict):
        return node
    clean: JsonObject = {}
    for key, value in node.items():
        if key == "type" and isinstance(value, list):
            _set_type(clean, value)
        elif lists_required and key == "required" and isinstance(value, bool):
            continue
        elif key in _VALUES:
            clean[key] = value
        elif key in (_NAMED_SCHEMAS_MORE if lists_required else _NAMED_SCHEMAS) and isinstance(value, dict):
            clean[key] = {name: _sanitise_node(schema, lists_required) for name, schema in value.items()}
        elif lists_required and key not in _SCHEMAS | _SUBSCHEMAS:
            clean[key] = copy.deepcopy(value)
        elif lists_required or key in _SCHEMAS or isinstance(value, (dict, list)):
            # The host also treats other lists and mappings as schemas: strings in a list under `default` become types.
            clean[key] = _sanitise_node(value, lists_required)
        else:
            clean[key] = value
    if lists_required:
        _lift_required(node, clean)
    if clean.get("type") == "object":
        _complete_object(clean, lists_required)
    return clean


def _lift_required(node: JsonObject, clean: JsonObject) -> None:
    """Add properties with ``required: true`` to the ``required`` list of their object."""
    properties = node.get("properties")
    if not isinstance(properties, dict):
        return
    lifted = [name for name, one in properties.items() if isinstance(one, dict) and one.get("required") is True]
    if lifted:
        listed = clean["required"] if isinstance(clean.get("required"), list) else []
        clean["required"] = [*listed, *(name for name in lifted if name not in listed)]


def _set_type(clean: JsonObject, types: list[Any]) -> None:
    """Replace a list of types with a single type or an ``anyOf``."""
    names = [kind for kind in types if isinstance(kind, str) and kind != "null"]
    nullable = "null" in types
    if len(names) > 1:
        clean["anyOf"] = [{"type": name} for name in names]
    elif names:
        clean["type"] = names[0]
    else:
        clean["type"] = "null" if nullable else "object"
        return
    if nullable:
        clean.setdefault("nullable", True)


def _complete_object(node: JsonObject, lists_required: bool) -> None:
    if not isinstance(node.get("properties"), dict):
        node["properties"] = {}
    required = node.get("required")
    if isinstance(required, list):
        node["required"] = [name for name in required if isinstance(name, str) and name in node["properties"]]
        if not node["required"] and not lists_required:
            del node["required"]
    elif lists_required:
        node["required"] = []


def _collapse_nullable(node: Any) -> Any:
    """Replace a union of null and one other schema with that schema, marked as nullable."""
    if isinstance(node, list):
        return [_collapse_nullable(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _collapse_nullable(value) for key, value in node.items()}
    for union in ("anyOf", "oneOf"):
        branches = node.get(union)
        if not isinstance(branches, list):
            continue
        others = [branch for branch in branches if not (isinstance(branch, dict) and branch.get("type") == "null")]
        if len(others) == 1 and len(branches) > 1:
            return _collapse_nullable(_make_nullable(others[0], node))
    return node


def _make_nullable(branch: Any, union: JsonObject) -> JsonObject:
    schema = dict(branch) if isinstance(branch, dict) else {}
    schema.setdefault("nullable", True)
    for key in _INHERITED_KEYS:
        if key in union:
            schema.setdefault(key, union[key])
    return schema


def _drop_ref_default(node: Any) -> Any:
    if isinstance(node, list):
        return [_drop_ref_default(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _drop_ref_default(value) for key, value in node.items() if not (key == "default" and "$ref" in node)}
