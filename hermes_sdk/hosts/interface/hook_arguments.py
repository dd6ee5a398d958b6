"""Arguments for a hook that a test fires: those that it does not care about are filled in."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from hermes_sdk import api
from hermes_sdk.contract import Contract


def filled(contract: Contract, hook: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the arguments of a hook as far as every call of the release passes them.

    Text is filled in with the argument's own name, numbers with 0, mappings and lists empty; what may be None is None.

    Args:
        contract: The release.
        hook: The hook; for one that the release does not know nothing is filled in.
        given: What the test passes.
    """
    fact = contract.hooks.get(hook)
    if fact is None:
        return dict(given)
    return {**{name: _typed(hook, name) for name in fact.always}, **given}


def _typed(hook: str, name: str) -> Any:
    return sample(name, _hints(hook).get(name, Any))


@cache
def _hints(hook: str) -> dict[str, Any]:
    arguments = "".join(part.title() for part in hook.split("_")) + "Arguments"
    return get_type_hints(getattr(api, arguments, None) or object)


def sample(name: str, hint: Any) -> Any:
    """Make a value for an argument from its type; None for a type that nothing simple stands for."""
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
