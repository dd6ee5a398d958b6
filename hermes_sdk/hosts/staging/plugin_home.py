"""Puts a plugin into a HERMES_HOME the way ``hermes plugins install`` would leave it there.

Only a provider of models goes elsewhere: to the place where the host looks for one, and the installer puts none.

`importable` and `entry_points` say what the host needs besides the home.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from hermes_sdk import manifest
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.hosts.staging.core_tool import write_plugin
from hermes_sdk.hosts.staging.event_hooks import stage_hook
from hermes_sdk.manifest import EntryPoint, Located, guessed_kind

_CATEGORIES = {"model-provider": "model-providers"}
_LEFT_BEHIND = frozenset({".git", "__pycache__"})


def stage(located: Located, home: Home, *, link: bool = False) -> str:
    """Copy a plugin into the home's ``plugins`` directory and enable it.

    A plugin without a manifest is only enabled: the host finds it by its entry point. A core-tool file becomes a plugin
    that imports it as ``tools.<its name>`` and holds what it registers. A gateway event hook goes into the home's
    ``hooks``, where the gateway loads it without being asked to.

    Repositories (``.git``), bytecode and virtual environments stay behind. A symbolic link within the plugin leads to
    the copy of its target; one that leads out of the plugin keeps its target.

    Args:
        located: The plugin, as `hermes_sdk.manifest.locate` found it.
        home: The home to put it into.
        link: Put a symbolic link to the plugin's directory there, instead of a copy.

    Returns:
        The plugin's key: the manifest's ``name``, or the directory's name when it has none, of a provider of models
        behind ``model-providers/``; without a manifest the name of the entry point; of a core-tool file its name
        without ``.py``; of an event hook the name of its directory.

    Raises:
        UsageError: The home has something under that name already.
    """
    if located.event_hook is not None:
        return stage_hook(located.directory, home, link=link)
    alone = entry_point(located)
    if located.core_tool is not None:
        key = write_plugin(located.core_tool, home.plugins_dir / located.core_tool.stem, link=link)
        # A module of the host asks nobody for leave to replace a tool.
        home.update_config({"plugins": {"entries": {key: {"allow_tool_override": True}}}})
    else:
        key = alone.name if alone else _put(located.directory, home.plugins_dir, link)
    home.enable(key)
    return key


def entry_point(located: Located) -> EntryPoint | None:
    """The entry point that a host needs to find the plugin; None for one with a manifest, which the home holds."""
    if located.manifest is not None or located.entry_point is None:
        return None
    return EntryPoint(*located.entry_point)


def importable(located: Located, kind: HostKind, release: str) -> tuple[Path, ...]:
    """The directories that a host needs on its path: of an entry point its project, on the real host what it requires.

    The embedded host has this process's packages, among which an author installs what the plugin requires.

    Raises:
        UnavailableError: The requirements cannot be installed here.
    """
    own = (located.directory,) if entry_point(located) else ()
    if kind == "embedded":
        return own
    from hermes_sdk.hosts.environments import overlay, requirements

    return (*own, *overlay(release, requirements(located)))


def borrowed(installed: EntryPoint, folder: Path, release: str) -> tuple[Path, ...]:
    """The directories that a real host needs on its path for a plugin that is installed in this environment.

    Args:
        installed: The plugin.
        folder: An empty directory, which outlives the host.
        release: The release of the host.

    Raises:
        UsageError: The plugin's module cannot be found.
        UnavailableError: Its requirements cannot be installed here.
    """
    from hermes_sdk.hosts.environments import others, overlay
    from hermes_sdk.hosts.staging.installed_plugin import lend

    return (folder, *overlay(release, others(lend(installed, folder), str(installed.value))))


def _put(directory: Path, plugins: Path, link: bool) -> str:
    file = manifest.manifest_file(directory)
    fields = manifest.parse(file).value if file else None
    declared = fields if isinstance(fields, dict) else {}
    kind = declared["kind"] if "kind" in declared else guessed_kind(directory)
    category = _CATEGORIES.get(kind, "") if isinstance(kind, str) else ""
    target = plugins / category / manifest.installer_name(directory)
    if target.exists() or target.is_symlink():
        raise UsageError(f"a plugin is there already: {target}", fix="Use a fresh home.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if link:
        target.symlink_to(directory.resolve(), target_is_directory=True)
    else:
        _copy(directory.resolve(), target)
    return f"{category}/{target.name}" if category else str(declared.get("name", target.name))


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, ignore=_left_behind)
    for folder, directories, files in os.walk(target):
        for name in (*directories, *files):
            copy = Path(folder, name)
            if copy.is_symlink():
                _lead(copy, source / copy.relative_to(target), source, target)


def _left_behind(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in _LEFT_BEHIND or Path(folder, name, "pyvenv.cfg").is_file()]


def _lead(copy: Path, original: Path, source: Path, target: Path) -> None:
    """Point the copy of a link to the copy of what the original points to."""
    destination = original.resolve()
    inside = destination.is_relative_to(source)
    copy.unlink()
    if inside:
        copied = target / destination.relative_to(source)
        copy.symlink_to(os.path.relpath(copied, copy.parent))
    else:
        copy.symlink_to(destination)
