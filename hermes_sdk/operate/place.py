"""Add directory trees to `plugins/` and remove them, each atomically, even if the process is killed.

A tree is built in a temporary directory that no other user can access. It is copied into a staging folder next to
`plugins/`, where no host looks for plugins, and moved from there. File operations in the home use descriptors, so that
root follows no link of the home's owner (see `hermes_sdk.links`). A staging folder exists only while the home is
locked; if its process is killed, the next command removes it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

from hermes_sdk import links
from hermes_sdk.disk import make_directory, signals_blocked, sync, write_all
from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import staging_directory
from hermes_sdk.home import Home

_PREFIX = ".hermes-sdk-plugins-"

# Names in a staging folder. `backup` and `new` together mean that a replacement was interrupted; `target` contains the
# path of the replaced plugin.
_NEW, _BACKUP, _HALF_BACKUP, _TARGET = "new", "backup", "half-backup", "target"

# `renameat2` of Linux and `renameatx_np` of macOS exchange two paths with this argument.
_EXCHANGE = 2
_CANNOT_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV)


@contextlib.contextmanager
def workplace(home: Home) -> Generator[Path]:
    """Provide an empty temporary directory to build a plugin in.

    Raises:
        UnavailableError: The home is managed or cannot be written.
    """
    with home.lock():
        _clean_up(home)
    with staging_directory(Path(tempfile.gettempdir())) as folder:
        yield folder


def repair(home: Home) -> None:
    """Clean up after a killed command; called even by commands that change no plugin."""
    if _list_staging_folders(home) and not home.managed:
        with contextlib.suppress(UnavailableError), home.lock():
            _clean_up(home)


def put(home: Home, new: Path, target: Path) -> None:
    """Copy a tree or a link into `plugins/` atomically, replacing an existing one.

    Args:
        home: The home; must be locked.
        new: The tree or the link, in a `workplace`.
    """
    make_directory(target.parent)
    with _staging_folder(home) as folder, links.directory(target.parent) as plugins:
        _copy_in(new, folder, plugins)
        if not _exists(target.name, plugins):
            os.rename(_NEW, target.name, src_dir_fd=folder, dst_dir_fd=plugins)
        elif not _exchange(_NEW, folder, target.name, plugins):
            _replace(folder, plugins, target, home)
        sync(target.parent)


def take_out(home: Home, target: Path) -> None:
    """Remove a tree, or a link without its target, from `plugins/`.

    Args:
        home: The home; must be locked.
        target: The tree or the link.
    """
    with _staging_folder(home) as folder, links.directory(target.parent) as plugins:
        try:
            os.rename(target.name, _BACKUP, src_dir_fd=plugins, dst_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            # overlayfs cannot move a directory of a lower layer, for example while a container image is built.
            links.remove_tree(target)
        sync(target.parent)


def _staging_parent(home: Home) -> Path:
    return links.resolve(home.plugins_dir).parent


@contextlib.contextmanager
def _staging_folder(home: Home) -> Generator[int]:
    """Create a staging folder on the file system of the home's plugins, and remove it afterwards."""
    path = _staging_parent(home) / f"{_PREFIX}{os.urandom(8).hex()}"
    with links.directory(path.parent) as beside:
        os.mkdir(path.name, 0o700, dir_fd=beside)
        with links.subdirectory(path.name, beside) as folder:
            try:
                if not _is_ours(folder):
                    raise links.LinkError("another user replaced the directory", path)
                yield folder
            finally:
                # If the old plugin cannot be restored now, it stays in the folder, and the next command retries.
                with signals_blocked(), contextlib.suppress(OSError):
                    _undo(folder, home)
                    shutil.rmtree(path.name, ignore_errors=True, dir_fd=beside)


def _is_ours(folder: int) -> bool:
    """Return whether this user created a folder; the home's owner may have put anything into others."""
    return os.fstat(folder).st_uid == os.geteuid()


def _copy_in(new: Path, folder: int, plugins: int) -> None:
    """Copy a tree or a link into a staging folder, and give it to the owner of `plugins/`."""
    status = os.fstat(plugins)
    owner = (status.st_uid, status.st_gid) if os.geteuid() == 0 and status.st_uid != 0 else None
    if not new.is_symlink():
        links.copy_tree(new, _NEW, folder, owner=owner, durable=True)
        return
    os.symlink(new.readlink(), _NEW, dir_fd=folder)
    if owner:
        os.chown(_NEW, *owner, dir_fd=folder, follow_symlinks=False)


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _exchange(one: str, folder: int, other: str, plugins: int) -> bool:
    """Exchange two trees atomically; return whether the system supports that."""
    libc = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    if not hasattr(libc, name):
        return False
    failed = getattr(libc, name)(folder, os.fsencode(one), plugins, os.fsencode(other), _EXCHANGE)
    code = ctypes.get_errno()
    if failed and code not in _CANNOT_EXCHANGE:
        raise OSError(code, os.strerror(code), other)
    return not failed


def _replace(folder: int, plugins: int, target: Path, home: Home) -> None:
    """Replace a tree in several steps; `_undo` reverts a partial replacement."""
    descriptor = os.open(_TARGET, links.NEW_FILE, 0o600, dir_fd=folder)
    try:
        write_all(descriptor, os.fsencode(target.relative_to(home.plugins_dir)))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.rename(target.name, _BACKUP, src_dir_fd=plugins, dst_dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # See `take_out`: overlayfs cannot move the tree.
        links.copy_tree(target, _HALF_BACKUP, folder, durable=True)
        os.rename(_HALF_BACKUP, _BACKUP, src_dir_fd=folder, dst_dir_fd=folder)
        links.remove_tree(target)
    os.rename(_NEW, target.name, src_dir_fd=folder, dst_dir_fd=plugins)


def _undo(folder: int, home: Home) -> None:
    """Restore the old tree if a replacement was interrupted."""
    if not all(_exists(name, folder) for name in (_NEW, _BACKUP, _TARGET)):
        return
    with os.fdopen(os.open(_TARGET, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        target = home.plugins_dir / os.fsdecode(file.read())
    with contextlib.suppress(FileNotFoundError):
        links.remove_tree(target)
    with links.directory(target.parent) as plugins:
        os.rename(_BACKUP, target.name, src_dir_fd=folder, dst_dir_fd=plugins)
    sync(target.parent)


def _list_staging_folders(home: Home) -> list[str]:
    """Return the names of the staging folders; while the home is locked, their processes were killed."""
    with contextlib.suppress(OSError):
        return [path.name for path in _staging_parent(home).glob(f"{_PREFIX}*")]
    return []


def _clean_up(home: Home) -> None:
    """Undo the unfinished changes of killed processes, and remove their staging folders."""
    for name in _list_staging_folders(home):
        with (
            contextlib.suppress(OSError),
            links.directory(_staging_parent(home)) as beside,
            links.subdirectory(name, beside) as folder,
        ):
            if _is_ours(folder):
                _undo(folder, home)
                shutil.rmtree(name, ignore_errors=True, dir_fd=beside)
