"""Which installed modules a plugin must not find: those that are here only because hermes-sdk depends on them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.base import EntryPoint
from hermes_sdk.manifest import ENTRY_POINT_GROUP

OURSELVES = "hermes-sdk"


def hidden_modules(contract: Contract, project: str | None, installed: Collection[EntryPoint] = ()) -> frozenset[str]:
    """Name the top-level modules that our own dependencies bring, and neither the release nor the plugin does.

    Args:
        contract: The release.
        project: The root of the plugin's project, whose dependencies the plugin may use; None for none.
        installed: Entry points of installed plugins, which may use what their distributions require.
    """
    from importlib_metadata import packages_distributions

    borrowed = _closure([OURSELVES]) - _closure([*_dependencies(project), *_distributions(installed)])
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
    """What the ``pyproject.toml`` of a project declares, else its ``requirements.txt``."""
    import tomllib

    if project is None:
        return []
    settings, requirements = Path(project, "pyproject.toml"), Path(project, "requirements.txt")
    try:
        listed = tomllib.loads(settings.read_text(encoding="utf-8"))["project"]["dependencies"]
    except (OSError, ValueError, KeyError):
        listed = requirements.read_text(encoding="utf-8").splitlines() if requirements.is_file() else []
    return [name for name in map(_name_of, listed) if name not in ("", OURSELVES)]


def _distributions(installed: Collection[EntryPoint]) -> list[str]:
    from importlib_metadata import entry_points

    known = entry_points(group=ENTRY_POINT_GROUP)
    return [one.dist.name for one in known if one.dist and (one.name, one.value) in installed]


def _name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return _normal(match[0]) if match else ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
