"""Copies of a plugin's files to work with."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Collection
from fnmatch import fnmatch
from pathlib import Path


def copy_files(source: Path, target: Path, left_behind: Collection[str]) -> None:
    """Copy files, directories and links; virtual environments, pipes, sockets and devices stay behind.

    Args:
        target: Where to; it does not exist yet.
        left_behind: Patterns of names that stay behind, too.
    """

    def list_ignored(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if any(fnmatch(name, one) for one in left_behind) or _is_odd(Path(folder, name))]

    shutil.copytree(source, target, symlinks=True, ignore=list_ignored)


def _is_odd(path: Path) -> bool:
    kind = stat.S_IFMT(path.lstat().st_mode)
    return kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) or (path / "pyvenv.cfg").is_file()
