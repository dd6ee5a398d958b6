"""The packages that a host needs on its path for a plugin."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint, Located


def find_required_packages(located: Located, kind: HostKind, release: str, *, may_install: bool) -> tuple[Path, ...]:
    """Return the directories with the requirements of a plugin.

    An embedded host has the packages of this process, where the author installs the requirements.

    Raises:
        UnavailableError: The requirements cannot be installed here.
    """
    if kind == "embedded":
        return ()
    from hermes_sdk.hosts.environments import overlay, requirements

    return overlay(release, requirements(located), may_install=may_install)


def link_distribution(installed: EntryPoint, folder: Path, release: str, *, may_install: bool) -> tuple[Path, ...]:
    """Link the packages of an installed plugin into a new directory, for a real host with an environment of its own.

    Returns:
        The directory, and the directories with what the distribution requires.

    Raises:
        UsageError: The plugin's module cannot be found.
        UnavailableError: Its requirements cannot be installed here.
    """
    from importlib_metadata import entry_points, packages_distributions

    from hermes_sdk.hosts.environments import others, overlay

    module = installed.value.partition(":")[0].partition(".")[0]
    found = [one.dist for one in entry_points(group=ENTRY_POINT_GROUP) if (one.name, one.value) == installed]
    distribution = next(filter(None, found), None)
    modules = {module}
    if distribution is not None:
        modules |= {name for name, owners in packages_distributions().items() if distribution.name in owners}
    folder.mkdir()
    for name in modules:
        place = _find_module(name)
        (folder / place.name).symlink_to(place)
    needed = _without_extras(distribution.requires or []) if distribution is not None else []
    return (folder, *overlay(release, others(needed, installed.value), may_install=may_install))


def _find_module(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    if spec is None or spec.origin is None:
        raise UsageError(f"The entry point's module {name} is not installed.", fix="Reinstall the plugin.")
    return Path(spec.origin)


def _without_extras(requirements: list[str]) -> list[str]:
    from packaging.requirements import Requirement

    parsed = map(Requirement, requirements)
    return [str(one) for one in parsed if one.marker is None or one.marker.evaluate({"extra": ""})]
