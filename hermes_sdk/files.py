"""The one way in which files of the user are written: a reader sees the old content or the new one, also after a crash.

New content is written beside its place, waits for the disk and is renamed; `hermes_sdk.journal` finishes or removes
what a killed command left.
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
from hermes_sdk.journal import Change, complete, lend_path, record, remove_empty, temporary_name
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
    """Replace a file that the user names, or make it; see `write_files`."""
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
    """Replace or make files, all or none; missing directories are made.

    A symbolic link stays one: its target is replaced, if `hermes_sdk.links` allows it. The owner and the permissions of
    a file stay; a new file gets the owner of its directory when root makes it.

    Args:
        root: The directory that the files are in, such as a project, which no link may lead out of. Default: the user
            names each file.
        mode: The permissions of the files. Default: those that they have.
        new_mode: The permissions of a file that is made, less the process's umask.
        durable: Whether to wait until the disk has them.
        journalled: Whether `recover` finds what a kill left; needless in a directory that goes away itself.

    Raises:
        UnavailableError: A file cannot be written; all are as they were.
    """
    changes: list[Change] = []
    try:
        targets = {links.resolve(path, root): data for path, data in contents.items()}
        changes += [_plan(target, data, mode, new_mode) for target, data in targets.items()]
        made = _missing_directories(changes)
        with record(changes, made) if journalled else contextlib.nullcontext() as journal:
            _stage(changes, made, durable)
            with signals_blocked():
                _commit(changes, journal, durable)
    except OSError as error:
        reason = error.strerror or str(error)
        where = str(error.filename or next(iter(contents), ""))
        where = next((str(one.target) for one in changes if str(one.temporary) == where), where)
        raise UnavailableError(f"cannot write the file: {reason}", where=where, fix="Nothing was changed.") from error


def write_link(path: Path, target: str) -> None:
    """Make a symbolic link, or point one elsewhere, in one step."""
    with lend_path(temporary_name(path.parent)) as temporary:
        with links.directory(path.parent) as folder:
            os.symlink(target, temporary.name, dir_fd=folder)
        links.rename(temporary, path)
    sync(path.parent)


@contextlib.contextmanager
def staging_directory(parent: Path) -> Generator[Path]:
    """Lend an empty directory in `parent` for a ``with`` block; `recover` removes what a kill left."""
    with lend_path(temporary_name(parent)) as folder:
        folder.mkdir(mode=0o700)
        yield folder


def keep_line_ends(old: str, new: str) -> str:
    """Return a changed text with the line ends of the old one, where these are Windows' throughout."""
    if "\r\n" not in old or old.count("\r\n") != old.count("\n"):
        return new
    return new.replace("\r\n", "\n").replace("\n", "\r\n")


def _plan(target: Path, data: bytes, mode: int | None, new_mode: int) -> Change:
    try:
        descriptor = links.open_file(target)
    except FileNotFoundError:
        return Change(temporary_name(target.parent), target, None, data, mode, new_mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "it is not a regular file", str(target))
    with os.fdopen(descriptor, "rb") as file:
        return Change(temporary_name(target.parent), target, file.read(), data, mode, new_mode)


def _missing_directories(changes: Iterable[Change]) -> list[Path]:
    """The directories that have to be made, the outermost first."""
    missing = {one for change in changes for one in change.target.parents if not one.exists()}
    return sorted(missing, key=lambda one: len(one.parts))


def _stage(changes: list[Change], made: list[Path], durable: bool) -> None:
    """Write the temporary files; remove them when one cannot be written."""
    try:
        for directory in made:
            make_directory(directory)
        for change in changes:
            _write(change, durable)
    except BaseException:
        _discard(changes, made)
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
            _keep_owner(descriptor, status)
        else:
            adopt(change.temporary, change.temporary.parent)
        if wanted is not None and IS_POSIX:
            os.fchmod(descriptor, wanted)  # After the change of owner, which clears bits.
        write_all(descriptor, change.new)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_owner(descriptor: int, status: os.stat_result) -> None:
    now = os.fstat(descriptor)
    for user, group in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
        if (user, group) in ((now.st_uid, now.st_gid), (-1, now.st_gid)):
            return
        with contextlib.suppress(PermissionError):  # Only root may give files away.
            os.fchown(descriptor, user, group)
            return


def _commit(changes: list[Change], journal: int | None, durable: bool) -> None:
    """Rename the temporary files into their places, all or none."""
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
    """Put the old content back where the new one is in its place already."""
    for change in changes:
        if change.temporary.exists():
            continue
        if change.old is None:
            links.unlink(change.target)
        else:
            _write(change._replace(new=change.old, mode=None), durable=True)
            links.rename(change.temporary, change.target)
    _discard(changes, [])


def _discard(changes: Iterable[Change], made: Iterable[Path]) -> None:
    for change in changes:
        with contextlib.suppress(OSError):
            links.unlink(change.temporary)
    remove_empty(made)
