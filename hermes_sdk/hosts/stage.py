"""Puts a plugin into a HERMES_HOME the way ``hermes plugins install`` would leave it there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from hermes_sdk import manifest
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.manifest import Located

_LEFT_BEHIND = frozenset({".git", "__pycache__"})


def stage(located: Located, home: Home, *, link: bool = False) -> str:
    """Copy a plugin into the home's ``plugins`` directory and enable it.

    Repositories (``.git``), bytecode and virtual environments stay behind. A symbolic link within the plugin leads to
    the copy of its target; one that leads out of the plugin keeps its target.

    Args:
        located: The plugin, as `hermes_sdk.manifest.locate` found it.
        home: The home to put it into.
        link: Put a symbolic link to the plugin's directory there, instead of a copy.

    Returns:
        The plugin's key: the manifest's ``name``, or the directory's name when it has none.

    Raises:
        UsageError: The home has something under that name already.
    """
    target = home.plugins_dir / manifest.installer_name(located.directory)
    if target.exists() or target.is_symlink():
        raise UsageError(f"a plugin is there already: {target}", fix="Use a fresh home.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if link:
        target.symlink_to(located.directory.resolve(), target_is_directory=True)
    else:
        _copy(located.directory.resolve(), target)
    key = _key(located.manifest, target.name)
    home.enable(key)
    return key


def _key(path: Path, directory: str) -> str:
    value = manifest.parse(path).value
    return str(value.get("name", directory)) if isinstance(value, dict) else directory


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
