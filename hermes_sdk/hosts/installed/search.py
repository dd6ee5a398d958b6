"""Searches for programs where neither the project at hand nor another user can have put them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_PROJECT = (".git", "pyproject.toml", "plugin.yaml", "plugin.yml")


def search_path(name: str) -> Iterator[Path]:
    """Yield the programs of a name in the absolute directories of PATH that may be executed."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        file = Path(folder, name)
        if file.is_absolute() and os.path.isfile(file) and os.access(file, os.X_OK) and is_trusted(file):
            yield file


def is_trusted(path: Path) -> bool:
    """Return whether a file or directory is outside the project at hand, and only the user and root can change it."""
    real, project = path.resolve(), _find_project()
    if project and (path.is_relative_to(project) or real.is_relative_to(project.resolve())):
        return False
    try:
        status = real.stat()
    except OSError:
        return False
    return status.st_uid in (0, os.getuid()) and not status.st_mode & stat.S_IWOTH


def _find_project() -> Path | None:
    """Return the project of the current directory, or that directory; None for one that holds the user's home."""
    here, home = Path.cwd(), Path.home()
    outside = [folder for folder in (here, *here.parents) if not home.is_relative_to(folder)]
    projects = (folder for folder in outside if any(os.path.exists(folder / name) for name in _PROJECT))
    return next(projects, outside[0] if outside else None)
