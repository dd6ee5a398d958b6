"""Changes to the files of a project: shown as a diff, or written all or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hermes_sdk.errors import UnavailableError


class Changes:
    """New contents for files of a project.

    Args:
        base: The directory that paths are shown relative to.
        after: The new content of each file, by its path; of a file that is made, too.
    """

    def __init__(self, base: Path, after: Mapping[Path, bytes]) -> None:
        self.base = base
        before = {path: path.read_bytes() if path.exists() else None for path in after}
        self._before = {path: before[path] for path in sorted(after) if after[path] != before[path]}
        self._after = {path: after[path] for path in self._before}

    @property
    def created(self) -> tuple[str, ...]:
        """The files that are made: POSIX paths, sorted."""
        return tuple(self._format_path(path) for path, old in self._before.items() if old is None)

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that exist and change: POSIX paths, sorted."""
        return tuple(self._format_path(path) for path, old in self._before.items() if old is not None)

    def __bool__(self) -> bool:
        return bool(self._after)

    def diff(self) -> str:
        """The changes as a unified diff that ``patch -p1`` and ``git apply`` take."""
        return "".join(map(self._diff, self._after))

    def write(self) -> None:
        """Write all files, or none.

        Raises:
            UnavailableError: A file cannot be written; everything is as it was.
        """
        made: list[Path] = []
        staged: dict[Path, Path] = {}
        try:
            for path, data in self._after.items():
                made += _make_directories(path)
                staged[path] = _stage(path, data)
            for path, temporary in staged.items():
                temporary.replace(os.path.realpath(path))
        except BaseException as error:
            self._restore(staged, made)
            if not isinstance(error, OSError):
                raise
            raise UnavailableError(
                f"cannot write: {error.strerror or error}", where=str(error.filename or ""), fix="Nothing was changed."
            ) from error

    def _restore(self, staged: Mapping[Path, Path], made: list[Path]) -> None:
        """Take back what was written: files whose staged copy is gone are in their places."""
        for path, temporary in staged.items():
            if temporary.exists():
                temporary.unlink()
            elif (old := self._before[path]) is None:
                path.unlink()
            else:
                path.write_bytes(old)
        for directory in reversed(made):
            with suppress(OSError):
                directory.rmdir()

    def _format_path(self, path: Path) -> str:
        return (path.relative_to(self.base) if path.is_relative_to(self.base) else path).as_posix()

    def _diff(self, path: Path) -> str:
        import difflib

        old, new, shown = self._before[path], self._after[path], self._format_path(path)
        name = "/dev/null" if old is None else f"a/{shown}"
        lines = difflib.unified_diff(_lines(old or b""), _lines(new), name, f"b/{shown}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    return [line.decode(errors="replace") for line in data.splitlines(keepends=True)]


def _make_directories(path: Path) -> list[Path]:
    """Make the directories that a file needs, and return those that were missing, the outermost first."""
    missing = [parent for parent in reversed(path.parents) if not parent.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    return missing


def _stage(path: Path, data: bytes) -> Path:
    """Write a file beside its place, with the permissions that it will have."""
    target = Path(os.path.realpath(path))
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
