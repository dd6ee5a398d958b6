"""Sample arguments of hooks, created from the contract and the types in `api`."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from hermes_sdk.contract.model import Contract


def complete_arguments(contract: Contract, hook: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Add sample values for the missing arguments that every call of a hook passes.

    The value of a text argument is its name, numbers are 0, mappings and lists are empty, and optional arguments are
    None.

    Args:
        hook: The hook; if the release does not know it, nothing is added.
        given: The arguments that the caller sets.
    """
    fact = contract.hooks.get(hook)
    if fact is None:
        return dict(given)
    return {**{name: sample(name, find_types(hook).get(name, Any)) for name in fact.always}, **given}


def describe_arguments(contract: Contract, hook: str) -> dict[str, Any]:
    """Return a JSON Schema of a hook's arguments; those without a simple type may have any value."""
    fact = contract.hooks[hook]
    hints = find_types(hook)
    properties = {name: _describe_type(hints.get(name, Any)) for name in (*fact.always, *fact.sometimes)}
    return {"type": "object", "properties": properties, "required": list(fact.always)}


def _describe_type(hint: Any) -> dict[str, Any]:
    origin = get_origin(hint) or hint
    if origin in (Required, NotRequired):
        return _describe_type(get_args(hint)[0])
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_describe_type(one) for one in get_args(hint)]}
    if origin is list:
        return {"type": "array", "items": _describe_type(next(iter(get_args(hint)), Any))}
    kinds = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", types.NoneType: "null"}
    return {"type": kinds[origin]} if origin in kinds else {}


@cache
def find_types(hook: str) -> dict[str, Any]:
    """Return the types of a hook's arguments in the order of the documentation; empty for an unknown hook."""
    from hermes_sdk import api

    arguments = "".join(part.title() for part in hook.split("_")) + "Arguments"
    return get_type_hints(getattr(api, arguments, None) or object)


def sample(name: str, hint: Any) -> Any:
    """Return a sample value for an argument; None if its type has no simple value."""
    origin = get_origin(hint) or hint
    if origin in (Required, NotRequired):
        return sample(name, get_args(hint)[0])
    if origin is Literal:
        return get_args(hint)[0]
    if origin in (Union, types.UnionType) or not isinstance(origin, type):
        return None
    if origin is str:
        return name
    return origin() if origin in (bool, int, float, dict, list) else None
