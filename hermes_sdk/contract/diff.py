"""Comparison of two contracts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from hermes_sdk.contract.model import Contract, member


@dataclass(frozen=True)
class Change:
    """A difference between two contracts.

    Attributes:
        path: The section, then keys, such as ``("hooks", "on_session_end", "sometimes", "reason")``. Items of a list,
            such as parameters or fields, have their name as key; in a list of names, the key is the name itself.
        kind: ``added`` if only the second contract has it, ``removed`` if only the first has it, or ``changed``.
        before: The value in the first contract, or None.
        after: The value in the second contract, or None.
    """

    path: tuple[str, ...]
    kind: Literal["added", "removed", "changed"]
    before: Any
    after: Any


def diff(before: Contract, after: Contract) -> list[Change]:
    """Compare two contracts.

    Args:
        before: The first contract, usually the older one.
        after: The second contract.

    Returns:
        The changes by section, in sorted order; flags are a section as well. Release names and fingerprints are
        ignored.
    """
    sections = sorted({*before.sections, *after.sections} - {"release", "fingerprints"})
    changes = [
        change
        for name in sections
        for change in compare((name,), _read_section(before, name), _read_section(after, name))
    ]
    return [*changes, *compare(("flags",), vars(before.behaviour), vars(after.behaviour))]


def compare(path: tuple[str, ...], before: Any, after: Any) -> Iterator[Change]:
    """Compare two JSON values at the same path; see `diff`."""
    if before == after:
        return
    old, new = _index_items(before), _index_items(after)
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


def _read_section(contract: Contract, section: str) -> Any:
    return contract.section(section) if section in contract.sections else {}


def _index_items(value: Any) -> dict[str, Any] | None:
    """Return the items of a value by key; None if no key identifies them."""
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
"""Sections too large to list single changes in a terminal."""

_LEVELS: Final = ("fields", "members", "parameters")


def where(change: Change) -> tuple[str, ...]:
    """Return the names in a change's path, without the levels between them."""
    return tuple(key for key in change.path[1:] if key not in _LEVELS)


def format_change(change: Change) -> str:
    """Format the value that was added or removed, or both values; empty if `where` is sufficient."""
    if change.kind == "changed":
        return f"{_format_short(change.before)} → {_format_short(change.after)}"
    value = change.after if change.kind == "added" else change.before
    # The path already contains the name.
    return "" if value == change.path[-1] else _format_short(value)


def _format_short(value: Any) -> str:
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
