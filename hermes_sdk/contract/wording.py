"""Words for one change of a contract: where it is and what it was, for a person."""

from __future__ import annotations

from typing import Any, Final

from hermes_sdk.contract.diff import Change
from hermes_sdk.contract.model import member

COUNTED: Final = frozenset(
    {
        "bundled_plugins",
        "constants",
        "default_config",
        "env_vars",
        "functions",
        "host_calls",
        "host_modules",
        "module_names",
        "third_party_modules",
    }
)
"""Sections in which no single change is worth a line in a terminal."""

_LEVELS: Final = ("fields", "members", "parameters")


def where(change: Change) -> tuple[str, ...]:
    """The names that lead to a change, without those of the levels between them."""
    return tuple(key for key in change.path[1:] if key not in _LEVELS)


def format_change(change: Change) -> str:
    """What came, went, or was there before and after; empty where `where` says it all."""
    if change.kind == "changed":
        return f"{_short(change.before)} → {_short(change.after)}"
    value = change.after if change.kind == "added" else change.before
    # A name in a list of names says everything already.
    return "" if value == change.path[-1] else _short(value)


def _short(value: Any) -> str:
    match value:
        case {"parameters": _}:
            return member("", {"kind": "method", **value}).signature
        case {"always": always, "sometimes": sometimes}:
            return " ".join([*always, *sometimes])
        case {"bases": bases}:
            return f"({', '.join(bases)})"
        case {"default": default}:
            return f"{value.get('annotation', '')} = {default}".lstrip()
        case {"annotation": annotation}:
            return str(annotation)
        case {"name": _}:
            return "required"
        case {"kind": kind}:
            return str(kind)
        case dict() | list():
            return " ".join(map(str, value))
        case _:
            return str(value)
