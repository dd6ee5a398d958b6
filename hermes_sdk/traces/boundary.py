"""Boundary of a scenario or recording: the directories that its paths may refer to after resolving links."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import locate, manifest_file

_MARKS = (".git", "plugin.yaml", "plugin.yml", "pyproject.toml", "pytest.ini")
"""Files that mark the root of a project; `pytest --hermes-record` writes below a directory with a ``pytest.ini``."""


@dataclass(frozen=True)
class Boundary:
    """Directories that an untrusted file may refer to.

    Attributes:
        project: The project of the file; None if it would contain the user's home.
        allowed: Additional directories that the user allows.
        has_network: Whether the plugins of the file get access to the network. In that case, paths outside the project
            are not admitted.
    """

    project: Path | None
    allowed: tuple[Path, ...] = ()
    has_network: bool = False

    @classmethod
    def of(cls, file: Path, allowed: Iterable[Path] = (), *, has_network: bool = False) -> Boundary:
        """Return the boundary of a scenario or recording."""
        return cls(find_project(file), tuple(map(_resolve, allowed)), has_network)

    def admits(self, path: Path) -> bool:
        """Return whether a path is in the project or in an allowed directory."""
        place = _resolve(path)
        if self.project and place.is_relative_to(self.project):
            return True
        return not self.has_network and any(place.is_relative_to(one) for one in self.allowed)


def find_project(file: Path) -> Path | None:
    """Return the nearest parent directory of a file that is a project or plugin, otherwise its own directory.

    Returns None for a directory that contains the user's home, because all the user's files would be in the project.
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
    """Yield the user's home directory according to HOME, and according to the password database."""
    yield _resolve(Path.home())
    # Some builds of Python do not have the module, and some containers do not have the user.
    with contextlib.suppress(ImportError, KeyError):
        import pwd

        yield _resolve(Path(pwd.getpwuid(os.getuid()).pw_dir))


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))
