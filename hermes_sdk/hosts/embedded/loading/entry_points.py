"""Plugins that are entry points of installed packages, and what the host reads of them without importing them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.hosts.embedded.process.modules import find_source
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint
from hermes_sdk.manifest.project import kind_of_source

CAPABILITIES_GROUP = "hermes_agent.plugin_capabilities"


class InstalledEntryPoint(NamedTuple):
    """An entry point, and what its distribution says.

    Attributes:
        capabilities: Those that the distribution declares for it (N27).
    """

    name: str
    value: str
    version: str = ""
    summary: str = ""
    capabilities: tuple[str, ...] = ()


def make_entry_points(entry_points: Sequence[EntryPoint]) -> list[InstalledEntryPoint]:
    """Return entry points of no distribution; a real host gets them from one of version 0."""
    return [InstalledEntryPoint(*one, version="0") for one in entry_points]


def find_installed(pythonpath: Sequence[Path]) -> list[InstalledEntryPoint]:
    """Return the entry points of the packages in these directories."""
    if not pythonpath:
        return []
    from importlib.metadata import distributions

    found = []
    for distribution in distributions(path=[str(directory) for directory in pythonpath]):
        entry_points = distribution.entry_points
        declared = [(one.name, one.value) for one in entry_points if one.group == CAPABILITIES_GROUP]
        for one in entry_points:
            if one.group == ENTRY_POINT_GROUP:
                own = [name for name, value in declared if value == one.value and name.startswith(f"{one.name}.")]
                capabilities = tuple(name.removeprefix(f"{one.name}.") for name in own)
                summary = "".join(distribution.metadata.get_all("Summary") or ())
                found.append(InstalledEntryPoint(one.name, one.value, distribution.version, summary, capabilities))
    return found


def guess_kind(value: str, *, all_markers: bool) -> str:
    """Return the kind of plugin that the source of an entry point's module looks like (A28)."""
    file = find_source(value.partition(":")[0].strip())
    if file is None or file.suffix != ".py":
        return "standalone"
    try:
        return kind_of_source(file.read_text(encoding="utf-8", errors="replace"), all_markers=all_markers)
    except OSError:
        return "standalone"
