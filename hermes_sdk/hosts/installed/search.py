"""Search for programs on PATH that neither the current project nor other users can have created."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_PROJECT = (".git", "pyproject.toml", "plugin.yaml", "plugin.yml")


def search_path(name: str) -> Iterator[Path]:
    """Yield the trusted executable files with a name in the absolute directories of PATH."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        file = Path(folder, name)
        if file.is_absolute() and os.path.isfile(file) and os.access(file, os.X_OK) and is_trusted(file):
            yield file


def is_trusted(path: Path) -> bool:
    """Return whether a path is outside the current project, owned by the user or root, and not world-writable."""
    real, project = path.resolve(), _find_project()
    if project and (path.is_relative_to(project) or real.is_relative_to(project.resolve())):
        return False
    try:
        status = real.stat()
    except OSError:
        return False
    return status.st_uid in (0, os.getuid()) and not status.st_mode & stat.S_IWOTH


def _find_project() -> Path | None:
    """Return the project of the current directory, or the directory itself; None if it contains the user's home."""
    here, home = Path.cwd(), Path.home()
    outside = [folder for folder in (here, *here.parents) if not home.is_relative_to(folder)]
    projects = (folder for folder in outside if any(os.path.exists(folder / name) for name in _PROJECT))
    return next(projects, outside[0] if outside else None)
