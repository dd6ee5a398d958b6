"""File operations that survive a crash and preserve the owner of the directory. For links, see `links`."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Generator
from pathlib import Path

from hermes_sdk import links
from hermes_sdk.system import IS_POSIX, is_root


def sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on disk."""
    if not IS_POSIX:  # Windows cannot open directories.
        return
    descriptor = links.open_file(path)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(root: Path) -> None:
    """Wait until a directory and all its content are on disk."""
    if not IS_POSIX:
        return
    with links.directory(root.parent) as parent:
        for _, _, files, folder in os.fwalk(root.name, dir_fd=parent):
            for name in files:
                if stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    _sync_file(name, folder)
            os.fsync(folder)


def _sync_file(name: str, folder: int) -> None:
    descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes to a descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def adopt(path: Path, parent: Path) -> None:
    """Give a file or directory created by root to the owner of the parent directory, including its content."""
    if not is_root():
        return
    with links.directory(parent) as folder:
        status = os.fstat(folder)
    if status.st_uid == 0:
        return
    with links.directory(path.parent) as parent_folder:
        for _, directories, files, folder in os.fwalk(path.name, dir_fd=parent_folder):
            for name in (*directories, *files):
                os.chown(name, status.st_uid, status.st_gid, dir_fd=folder, follow_symlinks=False)
        os.chown(path.name, status.st_uid, status.st_gid, dir_fd=parent_folder, follow_symlinks=False)


def make_directory(path: Path, mode: int = 0o777) -> None:
    """Create a directory and missing parents, owned by the owner of the first existing parent."""
    if not IS_POSIX:
        path.mkdir(parents=True, exist_ok=True)
        return
    missing = [one for one in (path, *path.parents) if not one.exists()]
    for one in reversed(missing):
        try:
            with links.directory(one.parent) as parent:
                os.mkdir(one.name, mode if one == path else 0o777, dir_fd=parent)
        except FileExistsError:
            continue  # Another process created it first.
        adopt(one, one.parent)


@contextlib.contextmanager
def signals_blocked() -> Generator[None]:
    """Block signals that would interrupt a change between two files."""
    if not IS_POSIX:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
