"""Trees put into `plugins/` and taken out of it in one step each, so that a process killed anywhere leaves no half.

A tree is made in a folder beside `plugins/`, where no host looks, and moved when it is complete. A folder whose process
was killed is cleared away by the next one.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

from hermes_sdk.disk import adopt, make_directory, signals_blocked, sync, sync_tree
from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import write_file
from hermes_sdk.home import Home

_PREFIX = ".hermes-sdk-plugins-"

NEW = "new"
"""The name in a folder of the tree that goes into `plugins/`."""

# Other names in a folder. `backup` beside `new` says that a replacement was cut short; `target` says of which plugin.
_BACKUP, _HALF_BACKUP, _TARGET = "backup", "half-backup", "target"

# `renameat2` of Linux and `renamex_np` of macOS exchange two paths with these arguments.
_AT_FDCWD, _RENAME_EXCHANGE, _RENAME_SWAP = -100, 2, 2
_CANNOT_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV)


@contextlib.contextmanager
def workplace(home: Home) -> Generator[Path]:
    """Lend an empty folder on the file system of the home's plugins for the time of a ``with`` block.

    Raises:
        UnavailableError: The home is managed or cannot be written.
    """
    with home.locked():
        beside = Path(os.path.realpath(home.plugins_dir)).parent
        _clear(beside)
        try:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=beside))
        except OSError as error:
            raise UnavailableError(f"cannot write to this directory: {error.strerror}", where=str(beside)) from error
        descriptor = _lock(folder)
    try:
        yield folder
    finally:
        # An old plugin that cannot be put back now stays in the folder for the next command.
        with signals_blocked(), contextlib.suppress(OSError):
            _undo(folder)
            shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def repair(home: Home) -> None:
    """Repair what a killed command left of a plugin, also for a command that changes none."""
    beside = Path(os.path.realpath(home.plugins_dir)).parent
    if any(beside.glob(f"{_PREFIX}*")) and not home.managed:
        with contextlib.suppress(UnavailableError), home.locked():
            _clear(beside)


def put(folder: Path, target: Path) -> None:
    """Move the tree or the link that is `NEW` in a folder into `plugins/`, replacing what is there.

    Args:
        folder: One of `workplace`.
    """
    new = folder / NEW
    make_directory(target.parent)
    adopt(new, target.parent)
    if not new.is_symlink():
        sync_tree(new)
    if not os.path.lexists(target):
        new.rename(target)
    elif not _exchange(new, target):
        _replace(folder, target)
    sync(target.parent)


def take_out(target: Path, folder: Path) -> None:
    """Remove a tree, or a link but not what it points to, from `plugins/`.

    Args:
        target: The tree or the link.
        folder: One of `workplace`.
    """
    try:
        target.rename(folder / _BACKUP)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # A directory of a lower layer of overlayfs, as in the build of a container image, cannot be moved.
        _delete(target)
    sync(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two trees in one step; say whether the system could."""
    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(*paths, _RENAME_SWAP)
    elif hasattr(libc, "renameat2"):
        failed = libc.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    else:
        return False
    code = ctypes.get_errno()
    if failed and code not in _CANNOT_EXCHANGE:
        raise OSError(code, os.strerror(code), str(other))
    return not failed


def _replace(folder: Path, target: Path) -> None:
    """Replace a tree in several steps, of which `_undo` takes back those that were made."""
    write_file(folder / _TARGET, os.fsencode(target))
    try:
        target.rename(folder / _BACKUP)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _back_up(folder, target)
        _delete(target)
    (folder / NEW).rename(target)


def _back_up(folder: Path, target: Path) -> None:
    """Copy a tree that cannot be moved, see `take_out`."""
    half = folder / _HALF_BACKUP
    shutil.copytree(target, half, symlinks=True)
    sync_tree(half)
    half.rename(folder / _BACKUP)


def _undo(folder: Path) -> None:
    """Put the old tree back into its place, if a replacement was broken off."""
    if not all(map(os.path.lexists, (folder / NEW, folder / _BACKUP))):
        return
    target = Path(os.fsdecode((folder / _TARGET).read_bytes()))
    if os.path.lexists(target):
        _delete(target)
    (folder / _BACKUP).rename(target)
    sync(target.parent)


def _delete(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path)


def _clear(beside: Path) -> None:
    """Clear away the folders of processes that were killed, and undo what they had begun."""
    for folder in beside.glob(f"{_PREFIX}*"):
        descriptor = _lock(folder)
        if descriptor is None:
            continue
        with contextlib.suppress(OSError):  # Else the next command tries again.
            _undo(folder)
            shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """Lock a folder as long as this process lives, or the descriptor is open; None when another process has it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # It is not one of ours.
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
