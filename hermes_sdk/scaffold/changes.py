"""Changes to the files of a project: shown as a diff, or written all or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hermes_sdk.files import write_files


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
        write_files(self._after)

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
