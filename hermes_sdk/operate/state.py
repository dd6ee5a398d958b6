"""State of the plugins of a home: which the host may load, and what `config.yaml` says about them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from hermes_sdk import contract, manifest
from hermes_sdk.errors import UsageError
from hermes_sdk.home import REMOVED, Home

Source = Literal["bundled", "user", "git", "entrypoint"]
Status = Literal["enabled", "disabled", "not enabled"]

# Directories of bundled plugins that are chosen by name, not enabled.
_CHOSEN = ("memory/", "context_engine/")


@dataclass(frozen=True)
class Plugin:
    """A plugin as ``hermes plugins list`` knows it (statements J20 and J21).

    Attributes:
        key: What `plugins.enabled` and `plugins.disabled` name it by.
        name: What its manifest calls it.
        source: Where it comes from; ``git`` is a plugin of the user that has a repository.
        version: Empty for a bundled one.
        description: Empty for a bundled one.
        directory: Where it is; None for a bundled one and for a package.
        status: What the two lists say, and `memory.provider` for a memory provider; some bundled plugins load without
            being enabled.
        link: The directory that a linked plugin is in; None for any other plugin.
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
    """List the plugins of a home: those bundled with the release, the user's, and those installed as packages here.

    Returns:
        In the host's order; of several with one key the last found, in the place of the first.
    """
    found: dict[str, Plugin] = {}
    for plugin in (*_iter_bundled(release), *user_plugins(home), *_packages()):
        found[plugin.key] = plugin
    enabled, disabled, memory = home.enabled, home.disabled, home.config.get("memory")
    provider = memory.get("provider") if isinstance(memory, dict) else None
    return [replace(plugin, status=_status(plugin, enabled, disabled, provider)) for plugin in found.values()]


def user_plugins(home: Home) -> Iterator[Plugin]:
    """List what the host finds in `plugins/`, each with its directory.

    Raises:
        UnavailableError: Root would follow another user's link.
    """
    home.refuse_foreign_link()
    return _of_user(home.plugins_dir)


def broken_links(home: Home) -> list[Path]:
    """List the links in `plugins/`, and in its categories, that lead nowhere; no host sees them."""
    places = [home.plugins_dir, *(path for path in _children(home.plugins_dir) if not manifest.manifest_file(path))]
    return sorted(path for place in places for path in _children(place) if path.is_symlink() and not path.exists())


def link_target(path: Path) -> Path | None:
    """Return where a link points to; None when the path is not a link."""
    return Path(os.path.normpath(path.parent / path.readlink())) if path.is_symlink() else None


def find(home: Home, name: str, release: str = contract.DEFAULT) -> Plugin:
    """Find the plugin that a key, a manifest's name, or the last part of one key means (statement J17).

    Raises:
        UsageError: Nothing has the name.
    """
    known = plugins(home, release)
    exact = [plugin for plugin in known if name in (plugin.key, plugin.name)]
    leaves = [plugin for plugin in known if name == plugin.key.rpartition("/")[2]]
    if exact or len(leaves) == 1:
        return (exact or leaves)[0]
    if leaves:
        keys = ", ".join(plugin.key for plugin in leaves)
        raise UsageError(f"'{name}' is ambiguous; it matches: {keys}", fix="Use one of these keys.")
    raise UsageError(
        f"Plugin '{name}' is not installed or bundled", fix="Run `hermes-sdk plugins list` to see all plugins."
    )


def enable(home: Home, name: str, *, allow_tool_override: bool = False, release: str = contract.DEFAULT) -> Plugin:
    """Let the host load a plugin (statement J17).

    Args:
        name: What `find` takes.
        allow_tool_override: Whether the plugin may replace built-in tools; a bundled one always may.

    Returns:
        The plugin as it was before.
    """
    with home.locked():
        plugin = find(home, name, release)
        grant = {} if plugin.source == "bundled" else _grant(plugin.key, allow_tool_override)
        if grant or plugin.key not in home.enabled or plugin.key in home.disabled:
            home.switch(on={plugin.key: plugin.name}, changes=add_schema_version(home, grant, release))
    return plugin


def enable_installed(home: Home, name: str, release: str = contract.DEFAULT) -> None:
    """Let the host load a plugin that was just installed: by its manifest's name and without a grant (J13)."""
    with home.locked():
        lists = {"enabled": home.enabled, "disabled": home.disabled}
        home.switch(on={name: name}, changes=add_schema_version(home, {"plugins": lists}, release))


def disable(home: Home, name: str, release: str = contract.DEFAULT) -> Plugin:
    """Keep the host from loading a plugin (statement J18).

    Returns:
        The plugin as it was before.
    """
    with home.locked():
        plugin = find(home, name, release)
        if plugin.key in home.enabled or plugin.key not in home.disabled:
            home.switch(off=[plugin.key], changes=add_schema_version(home, {}, release))
    return plugin


def add_schema_version(home: Home, changes: Mapping[str, Any], release: str) -> dict[str, Any]:
    """Add what the host adds when it writes a configuration without one: the version of its schema."""
    if "_config_version" in home.config:
        return dict(changes)
    return {"_config_version": contract.load(release).section("default_config")["values"]["_config_version"], **changes}


def migrate(home: Home, release: str = contract.DEFAULT) -> list[str] | None:
    """Enable the plugins of a home from the time when all were loaded (statements B12 to B14).

    Returns:
        What was enabled; None when the home already says what to load.
    """
    from hermes_sdk.home.grandfathering import list_grandfathered

    with home.locked():
        if home.config_problem:
            home.update_config({"plugins": {}})  # Says what is wrong with the file, and where.
        config = home.config if home.config_path.exists() else None
        names = list_grandfathered(config, home.plugins_dir, contract.load(release).behaviour)
        if names is not None:
            home.update_config({"plugins": {"enabled": names}})
    return names


def names_of(home: Home, directory: Path, release: str = contract.DEFAULT) -> set[str]:
    """Return what `config.yaml` may call an installed plugin, less what it would call another one, too."""
    mine = {directory.relative_to(home.plugins_dir).as_posix(), directory.name}
    others: set[str] = set()
    for plugin in plugins(home, release):
        names = mine if plugin.directory == directory else others
        names |= {plugin.key, plugin.name}
    return mine - others


def leftovers(home: Home, names: set[str]) -> dict[str, Any]:
    """Return the changes that clear a removed plugin out of `config.yaml`, empty when it is not in there.

    Args:
        names: What `names_of` said before it was removed.
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


def _grant(key: str, allowed: bool) -> dict[str, Any]:
    return {"plugins": {"entries": {key: {"allow_tool_override": allowed}}}}


def _status(plugin: Plugin, enabled: list[Any], disabled: list[Any], provider: Any) -> Status:
    """Return what the configuration says of a plugin; `provider` names the directory of the memory provider."""
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
        if not key.startswith(_CHOSEN):
            yield Plugin(key if "/" in key else fact["name"], fact["name"], "bundled")


def _of_user(directory: Path, category: str = "") -> Iterator[Plugin]:
    for child in _children(directory):
        if not child.is_dir():
            continue
        file = manifest.manifest_file(child)
        if file is not None:
            yield _read(child, file, category)
        elif not category:
            yield from _of_user(child, child.name)


def _children(directory: Path) -> list[Path]:
    return sorted(directory.iterdir()) if directory.is_dir() else []


def _read(directory: Path, file: Path, category: str) -> Plugin:
    value = manifest.parse(file).value
    value = value if isinstance(value, dict) else {}
    name, version, description = (
        "" if found is None else str(found)
        for found in (value.get("name", directory.name), value.get("version"), value.get("description"))
    )
    key = f"{category}/{directory.name}" if category else name
    source: Source = "git" if (directory / ".git").exists() else "user"
    return Plugin(key, name, source, version, description, directory, link=link_target(directory))


def _packages() -> Iterator[Plugin]:
    import importlib_metadata

    for entry in importlib_metadata.entry_points(group=manifest.ENTRY_POINT_GROUP):
        package = entry.dist
        version, summary = (package.version, package.metadata["Summary"] or "") if package else ("", "")
        yield Plugin(entry.name, entry.name, "entrypoint", version, summary)
