"""Files on disk: they survive a crash, and belong to the owner of their directory."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Generator
from pathlib import Path

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""How to open a file that nobody else has made."""


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a directory."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(root: Path) -> None:
    """Wait until the disk has a directory and everything in it."""
    for folder, _, files in os.walk(root):
        for name in files:
            file = Path(folder, name)
            if stat.S_ISREG(file.lstat().st_mode):
                sync(file)
        sync(Path(folder))


def write_all(descriptor: int, data: bytes) -> None:
    """Write bytes to the last one."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def adopt(path: Path, parent: Path) -> None:
    """Give what root made to the owner of the directory that it goes into, with everything in it."""
    status = parent.stat()
    if os.geteuid() != 0 or status.st_uid == 0:
        return
    entries = (Path(folder, name) for folder, *names in os.walk(path) for name in (*names[0], *names[1]))
    for entry in (path, *entries):
        os.chown(entry, status.st_uid, status.st_gid, follow_symlinks=False)


def make_directory(path: Path, mode: int = 0o777) -> None:
    """Make a directory and those above it that are missing, with the owner of the first one that is there."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(mode, parents=True, exist_ok=True)
    for one in reversed(missing):
        adopt(one, one.parent)


@contextlib.contextmanager
def signals_blocked() -> Generator[None]:
    """Hold signals back that would break a change off between two files."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
