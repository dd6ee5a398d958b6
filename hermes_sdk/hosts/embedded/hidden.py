"""Which installed modules a plugin must not find: those that are here only because hermes-sdk depends on them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hermes_sdk.contract import Contract

OURSELVES = "hermes-sdk"


def hidden_modules(contract: Contract, project: str | None) -> frozenset[str]:
    """Name the top-level modules that our own dependencies bring, and neither the release nor the plugin does.

    Args:
        contract: The release.
        project: The root of the plugin's project, whose dependencies the plugin may use; None for none.
    """
    from importlib_metadata import packages_distributions

    borrowed = _closure([OURSELVES]) - _closure(_dependencies(project))
    owners = packages_distributions()
    modules = {
        module
        for module, distributions in owners.items()
        if all(_normal(distribution) in borrowed for distribution in distributions)
    }
    return frozenset(modules - contract.third_party_modules)


def _closure(names: Iterable[str]) -> set[str]:
    """The installed distributions that these need, themselves included, extras and all."""
    from importlib_metadata import PackageNotFoundError, requires

    found: set[str] = set()
    waiting = [_normal(name) for name in names]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            requirements = requires(name) or []
        except PackageNotFoundError:
            continue
        found.add(name)
        waiting += [_name_of(requirement) for requirement in requirements]
    return found


def _dependencies(project: str | None) -> list[str]:
    import tomllib

    try:
        text = (Path(project or "") / "pyproject.toml").read_text(encoding="utf-8")
        table = tomllib.loads(text).get("project", {})
    except (OSError, ValueError):
        return []
    return [name for name in map(_name_of, table.get("dependencies", [])) if name != OURSELVES]


def _name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return _normal(match[0]) if match else ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
