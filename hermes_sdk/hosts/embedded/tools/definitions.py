"""The definitions of tools as a model receives them (statements C12 and C14)."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.tools.entry import ToolEntry

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
_FORBIDDEN_AT_TOP = ("allOf", "anyOf", "enum", "not", "oneOf")
_CARRIED_OVER = ("title", "description", "default", "examples")

_log = logging.getLogger("model_tools")


class SchemaRules(NamedTuple):
    """The differences between the sanitisers of the releases.

    A list of several types becomes ``anyOf``, or only its first type is kept; ``default`` beside ``$ref`` may be
    dropped. Where objects always list what is required, unknown keys are left as they are.
    """

    keeps_unions: bool
    drops_ref_default: bool
    lists_required: bool

    @classmethod
    def of(cls, behaviour: Behaviour) -> SchemaRules:
        """Read the rules of a release from what it does."""
        return cls(behaviour.schema_type_unions, behaviour.schema_ref_default_dropped, behaviour.required_always_listed)


def definitions(
    entries: Iterable[ToolEntry], available: Callable[[Callable[[], Any]], bool], rules: SchemaRules
) -> list[JsonObject]:
    """Describe tools as OpenAI function entries, sorted by name; the stored name wins over the schema's.

    `available` is asked once for each ``check_fn``.
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
        return [{**tool, "function": sanitise(tool["function"], rules)} for tool in offered]
    except Exception as error:
        _log.warning("Schema sanitization skipped: %s", error)
        return offered


def sanitise(function: Mapping[str, Any], rules: SchemaRules) -> JsonObject:
    """Return a copy of a function entry with ``parameters`` that every model backend accepts."""
    clean = copy.deepcopy(dict(function))
    parameters = clean.get("parameters")
    clean["parameters"] = _top(parameters, rules) if isinstance(parameters, dict) else _empty_object(rules)
    return clean


def _top(parameters: JsonObject, rules: SchemaRules) -> JsonObject:
    top = _node(parameters, rules)
    top["type"] = "object"
    if not isinstance(top.get("properties"), dict):
        top["properties"] = {}
    if rules.lists_required and not isinstance(top.get("required"), list):
        top["required"] = []
    top = _collapse_nullable(top)
    for key in _FORBIDDEN_AT_TOP:
        top.pop(key, None)
    result: JsonObject = _drop_ref_default(top) if rules.drops_ref_default else top
    return result


def _empty_object(rules: SchemaRules) -> JsonObject:
    return {"type": "object", "properties": {}, **({"required": []} if rules.lists_required else {})}


def _node(node: Any, rules: SchemaRules) -> Any:
    if isinstance(node, str):
        return {"type": node} if node in _TYPES - {"object"} else _empty_object(rules)
    if isinstance(node, list):
        return [_node(item, rules) for item in node]
    if not isinstance(node, dict):
        return node
    clean: JsonObject = {}
    for key, value in node.items():
        if key == "type" and isinstance(value, list):
            _set_type(clean, value, rules)
        elif rules.lists_required and key == "required" and isinstance(value, bool):
            continue
        elif key in _VALUES:
            clean[key] = value
        elif key in (_NAMED_SCHEMAS_MORE if rules.lists_required else _NAMED_SCHEMAS) and isinstance(value, dict):
            clean[key] = {name: _node(schema, rules) for name, schema in value.items()}
        elif rules.lists_required and key not in _SCHEMAS | _SUBSCHEMAS:
            clean[key] = copy.deepcopy(value)
        elif rules.lists_required or key in _SCHEMAS or isinstance(value, (dict, list)):
            # Any other list or mapping is treated as a schema too: texts in a list under `default` become types.
            clean[key] = _node(value, rules)
        else:
            clean[key] = value
    if rules.lists_required:
        _lift_required(node, clean)
    if clean.get("type") == "object":
        _complete_object(clean, rules)
    return clean


def _lift_required(node: JsonObject, clean: JsonObject) -> None:
    """Add the properties that say ``required: true`` of themselves to the list of their object."""
    properties = node.get("properties")
    if not isinstance(properties, dict):
        return
    lifted = [name for name, one in properties.items() if isinstance(one, dict) and one.get("required") is True]
    if lifted:
        listed = clean["required"] if isinstance(clean.get("required"), list) else []
        clean["required"] = [*listed, *(name for name in lifted if name not in listed)]


def _set_type(clean: JsonObject, types: list[Any], rules: SchemaRules) -> None:
    """Write one type, or a union, for a list of types."""
    names = [kind for kind in types if isinstance(kind, str) and kind != "null"]
    nullable = "null" in types
    if rules.keeps_unions and len(names) > 1:
        clean["anyOf"] = [{"type": name} for name in names]
    elif names:
        clean["type"] = names[0]
        # Where the union is lost, so is its null.
        nullable = nullable and (rules.keeps_unions or len(types) - types.count("null") == 1)
    else:
        clean["type"] = "null" if nullable and rules.keeps_unions else "object"
        return
    if nullable:
        clean.setdefault("nullable", True)


def _complete_object(node: JsonObject, rules: SchemaRules) -> None:
    if not isinstance(node.get("properties"), dict):
        node["properties"] = {}
    required = node.get("required")
    if isinstance(required, list):
        node["required"] = [name for name in required if isinstance(name, str) and name in node["properties"]]
        if not node["required"] and not rules.lists_required:
            del node["required"]
    elif rules.lists_required:
        node["required"] = []


def _collapse_nullable(node: Any) -> Any:
    """Replace a union of null and one other schema by that schema, marked nullable."""
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
            return _collapse_nullable(_nullable(others[0], node))
    return node


def _nullable(branch: Any, union: JsonObject) -> JsonObject:
    schema = dict(branch) if isinstance(branch, dict) else {}
    schema.setdefault("nullable", True)
    for key in _CARRIED_OVER:
        if key in union:
            schema.setdefault(key, union[key])
    return schema


def _drop_ref_default(node: Any) -> Any:
    if isinstance(node, list):
        return [_drop_ref_default(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _drop_ref_default(value) for key, value in node.items() if not (key == "default" and "$ref" in node)}
