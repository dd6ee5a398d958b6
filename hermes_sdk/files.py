"""The one way in which files of the user are written: a reader sees the old content or the new one, also after a crash.

New content is written beside its place, waits for the disk and is renamed. A journal in the user's cache names the
temporary files first; once it says that all are complete, several files change as one. What a killed command left is
finished or removed by `recover`, which every command calls.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import stat
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.cache import cache_dir
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UnavailableError

_DONE = b"done\n"
_MAX_JOURNAL = 16 * 1024 * 1024
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class _Change(NamedTuple):
    temporary: Path
    target: Path
    old: bytes | None
    new: bytes
    mode: int | None
    new_mode: int


def write_file(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    new_mode: int = 0o666,
    durable: bool = True,
    journalled: bool = True,
) -> None:
    """Replace a file, or make it; see `write_files`."""
    write_files({path: data}, mode=mode, new_mode=new_mode, durable=durable, journalled=journalled)


def write_files(
    contents: Mapping[Path, bytes],
    *,
    mode: int | None = None,
    new_mode: int = 0o666,
    durable: bool = True,
    journalled: bool = True,
) -> None:
    """Replace or make files, all or none; missing directories are made.

    A symbolic link stays one: its target is replaced. The owner and the permissions of a file stay; a new file gets the
    owner of its directory when root makes it.

    Args:
        contents: The new content of each file.
        mode: The permissions of the files. Default: those that they have.
        new_mode: The permissions of a file that is made, less the process's umask.
        durable: Whether to wait until the disk has them.
        journalled: Whether `recover` finds what a kill left; needless in a directory that goes away itself.

    Raises:
        UnavailableError: A file cannot be written; all are as they were.
    """
    changes: list[_Change] = []
    try:
        changes += [_plan(path, data, mode, new_mode) for path, data in contents.items()]
        made = _missing_directories(changes)
        with _journal(changes, made) if journalled else contextlib.nullcontext() as journal:
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
    with _temporary(path.parent) as temporary:
        temporary.symlink_to(target)
        temporary.replace(path)
    sync(path.parent)


@contextlib.contextmanager
def staging_directory(parent: Path) -> Generator[Path]:
    """Lend an empty directory in `parent` for a ``with`` block; `recover` removes what a kill left."""
    with _temporary(parent) as folder:
        folder.mkdir(mode=0o700)
        yield folder


def recover() -> None:
    """Finish or undo the work of killed commands; running commands are left alone."""
    folder = _journal_directory()
    try:
        journals = list(folder.iterdir())
    except OSError:
        return
    for journal in journals:
        # What cannot be repaired now waits for the next command.
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            _recover(journal)


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


def keep_line_ends(old: str, new: str) -> str:
    """Return a changed text with the line ends of the old one, where these are Windows' throughout."""
    if "\r\n" not in old or old.count("\r\n") != old.count("\n"):
        return new
    return new.replace("\r\n", "\n").replace("\n", "\r\n")


def _plan(path: Path, data: bytes, mode: int | None, new_mode: int) -> _Change:
    target = Path(os.path.realpath(path))
    if os.geteuid() == 0 and path.is_symlink():
        _refuse_foreign_link(path, target)
    try:
        descriptor = os.open(target, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return _Change(_temporary_name(target.parent), target, None, data, mode, new_mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "it is not a regular file", str(target))
    with os.fdopen(descriptor, "rb") as file:
        return _Change(_temporary_name(target.parent), target, file.read(), data, mode, new_mode)


def _refuse_foreign_link(path: Path, target: Path) -> None:
    """Do not let another user's link lead root to a file that is not theirs."""
    owner = path.lstat().st_uid
    existing = next(one for one in (target, *target.parents) if one.exists())
    if owner not in (0, existing.stat().st_uid):
        raise OSError(0, f"another user's link leads to it, {path}", str(target))


def _temporary_name(directory: Path) -> Path:
    return directory / f".hermes-sdk-{os.urandom(8).hex()}.tmp"


def _missing_directories(changes: Iterable[_Change]) -> list[Path]:
    """The directories that have to be made, the outermost first."""
    missing = {one for change in changes for one in change.target.parents if not one.exists()}
    return sorted(missing, key=lambda one: len(one.parts))


def _stage(changes: list[_Change], made: list[Path], durable: bool) -> None:
    """Write the temporary files; remove them when one cannot be written."""
    try:
        for directory in made:
            make_directory(directory)
        for change in changes:
            _write(change, durable)
    except BaseException:
        _discard(changes, made)
        raise


def _write(change: _Change, durable: bool) -> None:
    status = change.target.stat() if change.old is not None else None
    wanted = change.mode if change.mode is not None else stat.S_IMODE(status.st_mode) if status else None
    descriptor = os.open(change.temporary, _NEW_FILE, change.new_mode if wanted is None else 0o600)
    try:
        if status is not None:
            _keep_owner(descriptor, status)
        else:
            adopt(change.temporary, change.temporary.parent)
        if wanted is not None:
            os.fchmod(descriptor, wanted)  # After the change of owner, which clears bits.
        _write_all(descriptor, change.new)
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


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _commit(changes: list[_Change], journal: int | None, durable: bool) -> None:
    """Rename the temporary files into their places, all or none."""
    try:
        if journal is not None and len(changes) > 1:
            _write_all(journal, _DONE)
            os.fsync(journal)
        for change in changes:
            change.temporary.replace(change.target)
        for directory in {change.target.parent for change in changes} if durable else ():
            sync(directory)
    except BaseException:
        _restore(changes)
        raise


def _restore(changes: list[_Change]) -> None:
    """Put the old content back where the new one is in its place already."""
    for change in changes:
        if change.temporary.exists():
            continue
        if change.old is None:
            change.target.unlink(missing_ok=True)
        else:
            _write(change._replace(new=change.old, mode=None), durable=True)
            change.temporary.replace(change.target)
    _discard(changes, [])


def _discard(changes: Iterable[_Change], made: Iterable[Path]) -> None:
    for change in changes:
        with contextlib.suppress(OSError):
            change.temporary.unlink(missing_ok=True)
    _remove_empty(made)


def _remove_empty(directories: Iterable[Path]) -> None:
    for directory in reversed(list(directories)):
        with contextlib.suppress(OSError):
            directory.rmdir()


def _journal_directory() -> Path:
    return cache_dir() / "journal"


@contextlib.contextmanager
def _journal(changes: list[_Change], made: list[Path], trees: Sequence[Path] = ()) -> Generator[int | None]:
    """Say in a file what is going to be there for a moment; the file is locked as long as this process lives."""
    opened = _open_journal(required=len(changes) > 1)
    if opened is None:
        yield None
        return
    descriptor, path = opened
    finished = False
    try:
        content = {
            "files": [[str(one.temporary), str(one.target), _digest(one.old)] for one in changes],
            "directories": list(map(str, made)),
            "trees": list(map(str, trees)),
        }
        _write_all(descriptor, json.dumps(content).encode() + b"\n")
        if len(changes) > 1:
            os.fsync(descriptor)
            sync(path.parent)
        yield descriptor
        finished = True
    finally:
        # What could not be taken back is left to the next command.
        left = [*trees, *(one.temporary for one in changes if not finished)]
        if not any(map(os.path.lexists, left)):
            path.unlink(missing_ok=True)
        os.close(descriptor)


@contextlib.contextmanager
def _temporary(directory: Path) -> Generator[Path]:
    """Lend a path; what is made there is removed in the end."""
    path = _temporary_name(directory)
    with _journal([], [], [path]):
        try:
            yield path
        finally:
            _remove(path)


def _remove(path: Path) -> None:
    import shutil

    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def _open_journal(*, required: bool) -> tuple[int, Path] | None:
    """Make a journal and lock it; None where the cache cannot be written and nothing depends on it."""
    folder = _journal_directory()
    home = Path.home()
    if not required and folder.is_relative_to(home) and not home.is_dir():
        return None  # A home that is not there, as in a build of Nix, is not made.
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            path = folder / f"{os.urandom(8).hex()}.json"
            descriptor = os.open(path, (_NEW_FILE & ~os.O_WRONLY) | os.O_RDWR, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor, path
            os.close(descriptor)  # Another process took it for one that a kill left.
    except OSError:
        if required:
            raise
        return None


def _recover(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        os.close(descriptor)
        return
    with os.fdopen(descriptor, "rb") as file:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        first, _, rest = file.read(_MAX_JOURNAL).partition(b"\n")
        try:
            content: dict[str, Any] = parse_json(first)
        except ValueError:
            content = {"files": [], "directories": [], "trees": []}  # The process was killed before it did anything.
        for temporary, target, digest in content["files"]:
            _recover_file(Path(temporary), Path(target), digest, is_complete=rest == _DONE)
        if rest != _DONE:
            _remove_empty(map(Path, content["directories"]))
        for tree in content["trees"]:
            _remove(Path(tree))
        path.unlink(missing_ok=True)


def _recover_file(temporary: Path, target: Path, digest: str | None, *, is_complete: bool) -> None:
    """Finish the change of a file; one that was changed since stays as it is."""
    if not temporary.exists():
        return
    old = target.read_bytes() if target.is_file() else None
    if is_complete and _digest(old) == digest:
        temporary.replace(target)
        sync(target.parent)
    else:
        temporary.unlink()


def _digest(data: bytes | None) -> str | None:
    import hashlib

    return None if data is None else hashlib.sha256(data).hexdigest()
