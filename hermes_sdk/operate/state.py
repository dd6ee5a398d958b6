"""State of the plugins of a home: the available plugins and their status in `config.yaml`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from hermes_sdk import contract, manifest
from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.errors import UsageError
from hermes_sdk.home import REMOVED, Home

Source = Literal["bundled", "user", "git", "entrypoint"]
Status = Literal["enabled", "disabled", "not enabled"]

# Categories of bundled plugins that users select by name instead of enabling them.
_SELECTED_CATEGORIES = ("memory/", "context_engine/")


@dataclass(frozen=True)
class Plugin:
    """A plugin as listed by ``hermes plugins list`` (statements J20 and J21).

    Attributes:
        key: Its key in `plugins.enabled` and `plugins.disabled`.
        name: The name in its manifest.
        source: Its origin; ``git`` is a user's plugin with a repository.
        version: Its version; empty for a bundled plugin.
        description: Its description; empty for a bundled plugin.
        directory: Its directory; None for a bundled plugin or a package.
        status: Its status according to the two lists, and `memory.provider` for a memory provider; some bundled plugins
            load without being enabled.
        link: The target of a linked plugin; None for other plugins.
    """

    key: str
    name: str
    source: Source
    version: str = ""
    description: str = ""
    directory: Path | None = None
    status: Status = "not enabled"
    link: Path | None = None


def plugins(home: Home, release: str = contract.DEFAULT) -> list[Plugin]:
    """List the plugins of a home: bundled with the release, installed by the user, and installed as packages.

    Returns:
        The plugins in the host's order. If several have the same key, the last one replaces the first one.
    """
    found: dict[str, Plugin] = {}
    for plugin in (*_iter_bundled(release), *user_plugins(home), *_iter_packages()):
        found[plugin.key] = plugin
    enabled, disabled, memory = home.enabled, home.disabled, home.config.get("memory")
    provider = memory.get("provider") if isinstance(memory, dict) else None
    return [replace(plugin, status=_determine_status(plugin, enabled, disabled, provider)) for plugin in found.values()]


def user_plugins(home: Home) -> Iterator[Plugin]:
    """Yield the plugins that the host finds in `plugins/`, each with its directory.

    Raises:
        UnavailableError: Root would follow another user's link.
    """
    home.refuse_foreign_link()
    return _iter_user(home.plugins_dir)


def broken_links(home: Home) -> list[Path]:
    """List the broken links in `plugins/` and its categories, which no host sees."""
    places = [
        home.plugins_dir,
        *(path for path in _list_directory(home.plugins_dir) if not manifest.manifest_file(path)),
    ]
    return sorted(
        path for place in places for path in _list_directory(place) if path.is_symlink() and not path.exists()
    )


def link_target(path: Path) -> Path | None:
    """Return the target of a link, or None if the path is not a link."""
    return Path(os.path.normpath(path.parent / path.readlink())) if path.is_symlink() else None


def find(home: Home, name: str, release: str = contract.DEFAULT) -> Plugin:
    """Find a plugin by its key, its manifest's name, or the last part of its key if unambiguous (statement J17).

    Raises:
        UsageError: No plugin has the name, or several do.
    """
    known = plugins(home, release)
    exact = [plugin for plugin in known if name in (plugin.key, plugin.name)]
    leaves = [plugin for plugin in known if name == plugin.key.rpartition("/")[2]]
    if exact or len(leaves) == 1:
        return (exact or leaves)[0]
    if leaves:
        keys = ", ".join(plugin.key for plugin in leaves)
        raise UsageError(f"'{name}' is ambiguous; it matches: {keys}", fix="Use one of these keys.")
    names = {one for plugin in known for one in (plugin.key, plugin.name, plugin.key.rpartition("/")[2])}
    raise UsageError(
        f"Plugin '{name}' is not installed or bundled{suggest_name(name, names)}",
        fix="Run `hermes-sdk plugins list --all` to see all plugins.",
    )


def enable(home: Home, name: str, *, allow_tool_override: bool = False, release: str = contract.DEFAULT) -> Plugin:
    """Enable a plugin (statement J17).

    Args:
        name: Any name that `find` accepts.
        allow_tool_override: Whether the plugin may replace built-in tools; bundled plugins always may.

    Returns:
        The plugin before the change.
    """
    with home.lock():
        plugin = find(home, name, release)
        grant = {} if plugin.source == "bundled" else _create_grant(plugin.key, allow_tool_override)
        if grant or plugin.key not in home.enabled or plugin.key in home.disabled:
            home.switch(on={plugin.key: plugin.name}, changes=add_schema_version(home, grant, release))
    return plugin


def enable_installed(home: Home, name: str, release: str = contract.DEFAULT) -> None:
    """Enable a newly installed plugin by its manifest's name, without a grant (J13)."""
    with home.lock():
        lists = {"enabled": home.enabled, "disabled": home.disabled}
        home.switch(on={name: name}, changes=add_schema_version(home, {"plugins": lists}, release))


def disable(home: Home, name: str, release: str = contract.DEFAULT) -> Plugin:
    """Disable a plugin (statement J18).

    Returns:
        The plugin before the change.
    """
    with home.lock():
        plugin = find(home, name, release)
        if plugin.key in home.enabled or plugin.key not in home.disabled:
            home.switch(off=[plugin.key], changes=add_schema_version(home, {}, release))
    return plugin


def add_schema_version(home: Home, changes: Mapping[str, Any], release: str) -> dict[str, Any]:
    """Add the schema version, as the host does when it writes a configuration without one."""
    if "_config_version" in home.config:
        return dict(changes)
    return {"_config_version": contract.load(release).section("default_config")["values"]["_config_version"], **changes}


def migrate(home: Home, release: str = contract.DEFAULT) -> list[str] | None:
    """Enable the plugins of a home that predates opt-in, when all plugins were loaded (statements B12 to B14).

    Returns:
        The enabled names; None if the home needs no migration.
    """
    from hermes_sdk.home.grandfathering import list_grandfathered

    with home.lock():
        if home.config_problem:
            home.update_config({"plugins": {}})  # This raises an error with the location of the problem.
        config = home.config if home.config_path.exists() else None
        names = list_grandfathered(config, home.plugins_dir, contract.load(release).behaviour)
        if names is not None:
            home.update_config({"plugins": {"enabled": names}})
    return names


def list_config_names(home: Home, directory: Path, release: str = contract.DEFAULT) -> set[str]:
    """Return the names that `config.yaml` may use for an installed plugin, excluding those of other plugins."""
    mine = {directory.relative_to(home.plugins_dir).as_posix(), directory.name}
    others: set[str] = set()
    for plugin in plugins(home, release):
        names = mine if plugin.directory == directory else others
        names |= {plugin.key, plugin.name}
    return mine - others


def clean_up_config(home: Home, names: set[str]) -> dict[str, Any]:
    """Return the changes that remove a plugin from `config.yaml`; empty if it is not mentioned.

    Args:
        names: The result of `list_config_names` before the plugin was removed.
    """
    config = home.config
    section = config["plugins"] if isinstance(config.get("plugins"), dict) else {}
    changes: dict[str, Any] = {}
    for name, listed in (("enabled", home.enabled), ("disabled", home.disabled)):
        if names & set(map(str, listed)):
            changes.setdefault("plugins", {})[name] = [item for item in listed if str(item) not in names]
    entries = section.get("entries")
    for name in names & set(entries) if isinstance(entries, dict) else ():
        changes.setdefault("plugins", {}).setdefault("entries", {})[name] = REMOVED
    for area, key in (("memory", "provider"), ("context", "engine")):
        if isinstance(config.get(area), dict) and config[area].get(key) in names:
            changes[area] = {key: REMOVED}
    return changes


def _create_grant(key: str, allowed: bool) -> dict[str, Any]:
    return {"plugins": {"entries": {key: {"allow_tool_override": allowed}}}}


def _determine_status(plugin: Plugin, enabled: list[Any], disabled: list[Any], provider: Any) -> Status:
    """Return a plugin's status; `provider` is the directory name of the configured memory provider."""
    names = (plugin.name, plugin.key)
    if any(name in disabled for name in names):
        return "disabled"
    if any(name in enabled for name in names):
        return "enabled"
    directory = plugin.directory
    is_selected = directory and directory.name == provider and manifest.guessed_kind(directory) == "exclusive"
    return "enabled" if is_selected else "not enabled"


def _iter_bundled(release: str) -> Iterator[Plugin]:
    for key, fact in contract.load(release).section("bundled_plugins").items():
        if not key.startswith(_SELECTED_CATEGORIES):
            yield Plugin(key if "/" in key else fact["name"], fact["name"], "bundled")


def _iter_user(directory: Path, category: str = "") -> Iterator[Plugin]:
    for child in _list_directory(directory):
        if not child.is_dir():
            continue
        file = manifest.manifest_file(child)
        if file is not None:
            yield _read_plugin(child, file, category)
        elif not category:
            yield from _iter_user(child, child.name)


def _list_directory(directory: Path) -> list[Path]:
    return sorted(directory.iterdir()) if directory.is_dir() else []


def _read_plugin(directory: Path, file: Path, category: str) -> Plugin:
    value = manifest.parse(file).value
    value = value if isinstance(value, dict) else {}
    name, version, description = (
        "" if found is None else str(found)
        for found in (value.get("name", directory.name), value.get("version"), value.get("description"))
    )
    key = f"{category}/{directory.name}" if category else name
    source: Source = "git" if (directory / ".git").exists() else "user"
    return Plugin(key, name, source, version, description, directory, link=link_target(directory))


def _iter_packages() -> Iterator[Plugin]:
    import importlib_metadata

    for entry in importlib_metadata.entry_points(group=manifest.ENTRY_POINT_GROUP):
        package = entry.dist
        version, summary = (package.version, package.metadata["Summary"] or "") if package else ("", "")
        yield Plugin(entry.name, entry.name, "entrypoint", version, summary)
