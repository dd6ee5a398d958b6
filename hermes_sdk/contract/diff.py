"""Compares two contracts: what came, what went, what changed, in data and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from hermes_sdk.contract.model import Contract, member


@dataclass(frozen=True)
class Change:
    """One difference between two contracts.

    Attributes:
        path: Where: the section, then keys, such as ``("hooks", "on_session_end", "sometimes", "reason")``. In a list
            of named things, such as parameters or fields, a thing's name is its key; in a list of names a name is.
        kind: Whether it is only in the second contract, only in the first, or in both and not the same.
        before: What the first contract has there; None when nothing.
        after: What the second contract has there; None when nothing.
    """

    path: tuple[str, ...]
    kind: Literal["added", "removed", "changed"]
    before: Any
    after: Any


def diff(before: Contract, after: Contract) -> list[Change]:
    """Compare two contracts.

    Args:
        before: The first, as a rule the older one.
        after: The second.

    Returns:
        The changes by section, in sorted order; flags count as a section. The names of the releases and fingerprints do
        not count.
    """
    sections = sorted({*before.sections, *after.sections} - {"release", "fingerprints"})
    changes = [change for name in sections for change in compare((name,), _facts(before, name), _facts(after, name))]
    return [*changes, *compare(("flags",), vars(before.behaviour), vars(after.behaviour))]


def compare(path: tuple[str, ...], before: Any, after: Any) -> Iterator[Change]:
    """Compare two JSON values that stand at the same place; see `diff`."""
    if before == after:
        return
    old, new = _by_key(before), _by_key(after)
    if old is None or new is None or type(before) is not type(after):
        yield Change(path, "changed", before, after)
        return
    for key in sorted({*old, *new}):
        if key not in new:
            yield Change((*path, key), "removed", old[key], None)
        elif key not in old:
            yield Change((*path, key), "added", None, new[key])
        else:
            yield from compare((*path, key), old[key], new[key])
    kept_before, kept_after = [key for key in old if key in new], [key for key in new if key in old]
    if isinstance(before, list) and kept_before != kept_after:
        yield Change(path, "changed", [*old], [*new])


def _facts(contract: Contract, section: str) -> Any:
    return contract.section(section) if section in contract.sections else {}


def _by_key(value: Any) -> dict[str, Any] | None:
    """The parts of a value by the key that tells them apart; None when there is nothing that does."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    if all(isinstance(item, str) for item in value):
        found = {item: item for item in value}
    elif all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in value):
        found = {item["name"]: item for item in value}
    else:
        return None
    return found if len(found) == len(value) else None


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
        "optional_variables",
        "third_party_modules",
    }
)
"""Sections in which no single change is worth a line in a terminal."""

_LEVELS: Final = ("fields", "members", "parameters")


def where(change: Change) -> tuple[str, ...]:
    """The names that lead to a change, without those of the levels between them."""
    return tuple(key for key in change.path[1:] if key not in _LEVELS)


def format_change(change: Change) -> str:
    """Return what came, went, or was there before and after; empty where `where` says it all."""
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
