"""The order in which plugins load: those that others require come first (statements N4 to N7; since 0.20.1)."""

from __future__ import annotations

import graphlib
import logging
from collections.abc import Iterable

from hermes_sdk.hosts.embedded.plugin import Plugin

logger = logging.getLogger("hermes_cli.plugins")


def in_order(plugins: Iterable[Plugin]) -> list[Plugin]:
    """Return the plugins in layers, each sorted by key, so that a plugin follows all that it requires.

    Raises:
        TypeError: The keys cannot be sorted.
    """
    by_key = {plugin.manifest.lookup_key: plugin for plugin in plugins}
    keys = sorted(by_key)
    by_name = {by_key[key].manifest.name: key for key in reversed(keys)}
    required: dict[str, set[str]] = {key: set() for key in keys}
    for key in keys:
        for wanted in [one["id"] for one in by_key[key].manifest.requires_plugins if one["id"]]:
            found = wanted if wanted in by_key else by_name.get(wanted)
            if found is None:
                _warn_of_missing(key, wanted)
            elif found == key:
                logger.warning("Plugin %s declares a dependency on itself; ignoring", key)
            else:
                required[key].add(found)
    return [by_key[key] for key in _sort_by_requirements(required)]


def _warn_of_missing(key: str, wanted: str) -> None:
    logger.warning(
        "Plugin %s requires plugin '%s' which is not enabled/installed; loading anyway"
        " (`ctx.has_plugin` says whether it is there). Run `hermes plugins enable %s` if it is"
        " installed.",
        key,
        wanted,
        wanted,
    )


def _sort_by_requirements(required: dict[str, set[str]]) -> list[str]:
    sorter = graphlib.TopologicalSorter(required)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        told = "Plugin dependency cycle detected (%s); falling back to alphabetical load order for all plugins"
        logger.warning(told, " -> ".join(map(str, error.args[1])))
        return list(required)
    keys: list[str] = []
    while sorter.is_active():
        layer = sorted(sorter.get_ready())
        keys += layer
        sorter.done(*layer)
    return keys
