"""An installed plugin of this Python environment, lent to a host that has an environment of its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from packaging.requirements import Requirement

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint


def lend(entry_point: EntryPoint, folder: Path) -> tuple[str, ...]:
    """Link everything importable of the plugin's distribution into a directory, and nothing else of this environment.

    Args:
        entry_point: The installed plugin.
        folder: An empty directory, for the path of the other host.

    Returns:
        What the distribution requires, extras left out.

    Raises:
        UsageError: The module that the entry point names cannot be found.
    """
    from importlib_metadata import entry_points, packages_distributions

    module = entry_point.value.partition(":")[0].partition(".")[0]
    installed = [one.dist for one in entry_points(group=ENTRY_POINT_GROUP) if (one.name, one.value) == entry_point]
    distribution = next(filter(None, installed), None)
    modules = {module}
    if distribution is not None:
        modules |= {name for name, owners in packages_distributions().items() if distribution.name in owners}
    for name in modules:
        place = _place(name)
        (folder / place.name).symlink_to(place)
    return _requirements(distribution.requires or []) if distribution is not None else ()


def _place(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    if spec is None or spec.origin is None:
        raise UsageError(f"The module {module} of the entry point is not installed.", fix="Install the plugin again.")
    return Path(spec.origin)


def _requirements(texts: list[str]) -> tuple[str, ...]:
    parsed = map(Requirement, texts)
    return tuple(str(one) for one in parsed if one.marker is None or one.marker.evaluate({"extra": ""}))
