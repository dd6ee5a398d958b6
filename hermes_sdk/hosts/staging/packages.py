"""Packages that a host needs on its path to run a plugin."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.dependencies import check_requirements, find_requirements
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint, Located, Packages
from hermes_sdk.manifest.packages import GROUPS


def find_required_packages(located: Located, kind: HostKind, release: str, *, may_install: bool) -> tuple[Path, ...]:
    """Return the directories with the requirements of a plugin, and install them for a real host if necessary.

    An embedded host uses the packages of this process, where the author installs the requirements.

    Raises:
        UnavailableError: The requirements cannot be installed here.
    """
    if kind == "embedded":
        return ()
    from hermes_sdk.hosts.environments import overlay

    return overlay(release, find_requirements(located), may_install=may_install)


def link_project(located: Located, folder: Path) -> None:
    """Link the packages of a project into a directory as if they were installed, with the entry point of one plugin.

    Entry points of other plugins in the project are omitted.
    """
    assert located.entry_point is not None
    packages = Packages.read(located.project)
    places = packages.list_links(located.entry_point.module)
    for place in sorted(places, key=lambda place: -len(place.parts)):
        _link(places[place], folder / place)
    named = {**packages.entry_points}
    for group in GROUPS:
        named[group] = {name: one for name, one in named.get(group, {}).items() if name == located.name}
    lines = [
        line for group in named for line in (f"[{group}]", *(f"{name} = {one}" for name, one in named[group].items()))
    ]
    name, version, summary = packages.facts.values()
    # The project sets both texts, which must not form a path out of the directory.
    stem = f"{re.sub(r'[^A-Za-z0-9]+', '_', name)}-{re.sub(r'[^A-Za-z0-9.!+]+', '_', version)}"
    information = folder / f"{stem}.dist-info"
    information.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\n"
    (information / "METADATA").write_text(metadata, encoding="utf-8")
    (information / "entry_points.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _link(place: Path, target: Path) -> None:
    """Link a path; if the target is a directory with other links, link the children."""
    if target.is_dir():
        for child in place.iterdir():
            if not (target / child.name).is_symlink():
                _link(child, target / child.name)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(place)


def link_distribution(installed: EntryPoint, folder: Path, release: str, *, may_install: bool) -> tuple[Path, ...]:
    """Link the packages of an installed plugin into a new directory, for a real host with its own environment.

    Returns:
        The directory, and the directories with the requirements of the distribution.

    Raises:
        UsageError: The plugin's module cannot be found.
        UnavailableError: Its requirements cannot be installed here.
    """
    from importlib_metadata import entry_points, packages_distributions

    from hermes_sdk.hosts.environments import overlay

    module = installed.value.partition(":")[0].partition(".")[0]
    distributions = [one.dist for one in entry_points(group=ENTRY_POINT_GROUP) if (one.name, one.value) == installed]
    distribution = next(filter(None, distributions), None)
    modules = {module}
    if distribution is not None:
        modules |= {name for name, owners in packages_distributions().items() if distribution.name in owners}
    folder.mkdir()
    for name in modules:
        place = _find_module(name)
        (folder / place.name).symlink_to(place)
    requirements = check_requirements((distribution and distribution.requires) or [], installed.value)
    return (folder, *overlay(release, requirements, may_install=may_install))


def _find_module(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    if spec is None or spec.origin is None:
        raise UsageError(f"The entry point's module {name} is not installed.", fix="Reinstall the plugin.")
    return Path(spec.origin)
