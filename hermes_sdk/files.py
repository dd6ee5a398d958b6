"""Atomic and durable writes of user files: readers see either the old or the new content, even after a crash.

New content is written to a temporary file in the same directory, synced to disk, and renamed. `hermes_sdk.journal`
completes or rolls back the changes of a killed command.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

from hermes_sdk import links
from hermes_sdk.disk import adopt, make_directory, signals_blocked, sync, write_all
from hermes_sdk.errors import UnavailableError
from hermes_sdk.journal import Change, complete, record, remove_empty, temporary_name, temporary_path
from hermes_sdk.system import IS_POSIX


def write_file(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    new_mode: int = 0o666,
    durable: bool = True,
    journalled: bool = True,
) -> None:
    """Create or replace a file that the user named; see `write_files`."""
    write_files({path: data}, mode=mode, new_mode=new_mode, durable=durable, journalled=journalled)


def write_files(
    contents: Mapping[Path, bytes],
    *,
    root: Path | None = None,
    mode: int | None = None,
    new_mode: int = 0o666,
    durable: bool = True,
    journalled: bool = True,
) -> None:
    """Create or replace files atomically; missing directories are created.

    Symbolic links stay links: their target is replaced if `hermes_sdk.links` allows it. Owner and permissions of a file
    are preserved; a new file created by root gets the owner of its directory.

    Args:
        root: The directory with the files, such as a project; links must not lead out of it. Default: the user named
            each file.
        mode: The permissions of the files. Default: the current ones.
        new_mode: The permissions of new files, restricted by the process's umask.
        durable: Whether to sync the files to disk.
        journalled: Whether `recover` can clean up after a kill; not needed in temporary directories.

    Raises:
        UnavailableError: A file cannot be written; no file was changed.
    """
    changes: list[Change] = []
    try:
        targets = {links.resolve(path, root): data for path, data in contents.items()}
        changes += [_plan_change(target, data, mode, new_mode) for target, data in targets.items()]
        new_directories = _find_missing_directories(changes)
        with record(changes, new_directories) if journalled else contextlib.nullcontext() as journal:
            _write_temporary_files(changes, new_directories, durable)
            with signals_blocked():
                _commit(changes, journal, durable)
    except OSError as error:
        reason = error.strerror or str(error)
        where = str(error.filename or next(iter(contents), ""))
        where = next((str(one.target) for one in changes if str(one.temporary) == where), where)
        raise UnavailableError(f"cannot write the file: {reason}", where=where, fix="Nothing was changed.") from error


def write_link(path: Path, target: str) -> None:
    """Create or replace a symbolic link atomically."""
    with temporary_path(temporary_name(path.parent)) as temporary:
        with links.directory(path.parent) as folder:
            os.symlink(target, temporary.name, dir_fd=folder)
        links.rename(temporary, path)
    sync(path.parent)


@contextlib.contextmanager
def staging_directory(parent: Path) -> Generator[Path]:
    """Create a temporary directory in `parent` for a ``with`` block; `recover` removes it after a kill."""
    with temporary_path(temporary_name(parent)) as folder:
        folder.mkdir(mode=0o700)
        yield folder


def keep_line_ends(old: str, new: str) -> str:
    """Return a changed text with Windows line ends if the old text uses them throughout."""
    if "\r\n" not in old or old.count("\r\n") != old.count("\n"):
        return new
    return new.replace("\r\n", "\n").replace("\n", "\r\n")


def _plan_change(target: Path, data: bytes, mode: int | None, new_mode: int) -> Change:
    try:
        descriptor = links.open_file(target)
    except FileNotFoundError:
        return Change(temporary_name(target.parent), target, None, data, mode, new_mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", str(target))
    with os.fdopen(descriptor, "rb") as file:
        return Change(temporary_name(target.parent), target, file.read(), data, mode, new_mode)


def _find_missing_directories(changes: Iterable[Change]) -> list[Path]:
    """Return the missing directories, outermost first."""
    missing = {one for change in changes for one in change.target.parents if not one.exists()}
    return sorted(missing, key=lambda one: len(one.parts))


def _write_temporary_files(changes: list[Change], new_directories: list[Path], durable: bool) -> None:
    """Write the temporary files; remove all of them if one cannot be written."""
    try:
        for directory in new_directories:
            make_directory(directory)
        for change in changes:
            _write(change, durable)
    except BaseException:
        _discard(changes, new_directories)
        raise


def _write(change: Change, durable: bool) -> None:
    status = None
    if change.old is not None:
        status = links.read_status(change.target)
    wanted = change.mode if change.mode is not None else stat.S_IMODE(status.st_mode) if status else None
    descriptor = links.open_file(
        change.temporary, flags=links.NEW_FILE, mode=change.new_mode if wanted is None else 0o600
    )
    try:
        if status is not None and IS_POSIX:
            _set_owner(descriptor, status)
        else:
            adopt(change.temporary, change.temporary.parent)
        if wanted is not None and IS_POSIX:
            os.fchmod(descriptor, wanted)  # Set the mode last: a change of owner clears mode bits.
        write_all(descriptor, change.new)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _set_owner(descriptor: int, status: os.stat_result) -> None:
    now = os.fstat(descriptor)
    for user, group in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
        if (user, group) in ((now.st_uid, now.st_gid), (-1, now.st_gid)):
            return
        with contextlib.suppress(PermissionError):  # Only root may change the owner of a file.
            os.fchown(descriptor, user, group)
            return


def _commit(changes: list[Change], journal: int | None, durable: bool) -> None:
    """Rename the temporary files to their targets, or restore the old content on failure."""
    try:
        if journal is not None and len(changes) > 1:
            complete(journal)
        for change in changes:
            links.rename(change.temporary, change.target)
        for directory in {change.target.parent for change in changes} if durable else ():
            sync(directory)
    except BaseException:
        _restore(changes)
        raise


def _restore(changes: list[Change]) -> None:
    """Restore the old content of files that were already replaced."""
    for change in changes:
        if change.temporary.exists():
            continue
        if change.old is None:
            links.unlink(change.target)
        else:
            _write(change._replace(new=change.old, mode=None), durable=True)
            links.rename(change.temporary, change.target)
    _discard(changes, [])


def _discard(changes: Iterable[Change], new_directories: Iterable[Path]) -> None:
    for change in changes:
        with contextlib.suppress(OSError):
            links.unlink(change.temporary)
    remove_empty(new_directories)
