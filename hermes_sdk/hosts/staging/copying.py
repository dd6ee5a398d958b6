"""Working copies of a plugin's files."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Collection
from fnmatch import fnmatch
from pathlib import Path


def copy_files(source: Path, target: Path, ignored: Collection[str]) -> None:
    """Copy files, directories and links, but not virtual environments, pipes, sockets and devices.

    Args:
        target: The new directory, which must not exist.
        ignored: Patterns of names that are not copied.
    """

    def list_ignored(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if any(fnmatch(name, one) for one in ignored) or _is_special(Path(folder, name))]

    shutil.copytree(source, target, symlinks=True, ignore=list_ignored)


def _is_special(path: Path) -> bool:
    kind = stat.S_IFMT(path.lstat().st_mode)
    return kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) or (path / "pyvenv.cfg").is_file()
