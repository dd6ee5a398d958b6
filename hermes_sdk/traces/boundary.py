"""Boundary of a scenario or a recording: the directories that its paths may lead to, after links are followed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import locate, manifest_file

_MARKS = (".git", "plugin.yaml", "plugin.yml", "pyproject.toml", "pytest.ini")
"""What the root of a project has; `pytest --hermes-record` writes below a directory with a ``pytest.ini``."""


@dataclass(frozen=True)
class Boundary:
    """Directories of a file that may come from anybody.

    Attributes:
        project: The project of the file; None if that would hold the home of the user.
        allowed: What the user allows besides.
        has_network: Whether what the file names gets the network of this machine. Then nothing outside is admitted.
    """

    project: Path | None
    allowed: tuple[Path, ...] = ()
    has_network: bool = False

    @classmethod
    def of(cls, file: Path, allowed: Iterable[Path] = (), *, has_network: bool = False) -> Boundary:
        """Return the boundary of a scenario or a recording."""
        return cls(find_project(file), tuple(map(_resolve, allowed)), has_network)

    def admits(self, path: Path) -> bool:
        """Return whether a path leads to a place in the project, or to one that is allowed."""
        place = _resolve(path)
        if self.project and place.is_relative_to(self.project):
            return True
        return not self.has_network and any(place.is_relative_to(one) for one in self.allowed)


def find_project(file: Path) -> Path | None:
    """Return the nearest directory above a file that is a project or a plugin of one, else its own directory.

    A directory that holds the home of the user, such as the home itself, is no project: everything would be inside.
    """
    folder = _resolve(file.absolute().parent)
    homes = [*_find_homes()]
    found = [one for one in (folder, *folder.parents) if not any(home.is_relative_to(one) for home in homes)]
    marked = next((one for one in found if any((one / mark).exists() for mark in _MARKS)), None)
    if marked is not None and manifest_file(marked):
        with contextlib.suppress(UsageError):
            project = locate(marked).project
            return project if project in found else marked
    return marked or next(iter(found), None)


def _find_homes() -> Iterator[Path]:
    """Yield the home that the variable names, and the one that the machine knows."""
    yield _resolve(Path.home())
    # Some builds of Python lack the module, some containers the user.
    with contextlib.suppress(ImportError, KeyError):
        import pwd

        yield _resolve(Path(pwd.getpwuid(os.getuid()).pw_dir))


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))
