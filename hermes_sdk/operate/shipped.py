"""The files of a plugin that an installation gets: the subdirectory at the commit, or the directory itself."""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import tempfile
from collections.abc import Generator
from pathlib import Path

from hermes_sdk import manifest
from hermes_sdk.check.upstream import Shipped
from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import staging_directory
from hermes_sdk.manifest import Located
from hermes_sdk.operate import git
from hermes_sdk.operate.tree import copy_installed

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@contextlib.contextmanager
def ship(located: Located) -> Generator[Shipped]:
    """Make a copy of what an installation of a plugin gets, for the time of the context.

    In a repository it is the plugin's directory at the current commit, which a clone shows; nothing but the clone is
    given to git. Outside of one, and for a plugin that is not committed, it is the directory.

    Raises:
        UnavailableError: There is no git, or it cannot clone the repository.
        UsageError: The directory holds something that no installation copies.
    """
    with staging_directory(Path(tempfile.gettempdir())) as folder:
        target = folder / "plugin" / _choose_name(located.directory)
        root = git.find_repository(located.directory)
        commit = _clone(root, folder / "clone") if root else ""
        inside = located.directory.relative_to(root).as_posix() if root else "."
        subdirectory = "" if inside == "." else inside
        committed = folder / "clone" / subdirectory
        if root is None or not commit or not committed.is_dir() or not any(committed.iterdir()):
            copy_installed(located.directory, target)
            yield Shipped(target)
        else:
            copy_installed(committed, target)
            differing = tuple(_find_differing(target, located.directory))
            yield Shipped(target, root, commit, subdirectory, differing, committed)


def _choose_name(directory: Path) -> str:
    """Return the name that the host would install a plugin under."""
    file = manifest.manifest_file(directory)
    value = manifest.parse(file).value if file else None
    name = str(value.get("name") or "") if isinstance(value, dict) else ""
    return name if _NAME.fullmatch(name) else directory.name or "plugin"


def _clone(root: Path, target: Path) -> str:
    """Clone the current commit of a repository, and return its SHA; empty when it has none."""
    git.clone(f"file://{root}", target)
    with contextlib.suppress(UnavailableError):
        return git.head(target)
    return ""


def _find_differing(copy: Path, directory: Path) -> Generator[str]:
    """Yield the committed files that differ on disk, and the modules that are on disk only."""
    names = {*_list_files(copy), *(name for name in _list_files(directory) if name.endswith(".py"))}
    for name in sorted(names):
        disk, committed = directory / name, copy / name
        if not (disk.is_file() and committed.is_file() and filecmp.cmp(disk, committed, shallow=False)):
            yield name


def _list_files(base: Path) -> Generator[str]:
    for folder, directories, files in os.walk(base):
        directories[:] = [name for name in directories if not Path(folder, name, "pyvenv.cfg").exists()]
        yield from (Path(folder, name).relative_to(base).as_posix() for name in files)
