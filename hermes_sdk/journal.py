"""Journal of temporary files, so that they can be finished or removed after a kill.

A journal in the user's cache names it first; once it says that all files are complete, they change as one. It is locked
as long as its process lives. What a killed command left is finished or removed by `recover`, which every command calls.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk import links
from hermes_sdk.cache import cache_dir
from hermes_sdk.disk import sync, write_all
from hermes_sdk.errors import UnavailableError
from hermes_sdk.system import IS_POSIX, is_root

_DONE = b"done\n"
_MAX_JOURNAL = 16 * 1024 * 1024


class Change(NamedTuple):
    """The change of one file; `temporary` holds the new content until it is renamed."""

    temporary: Path
    target: Path
    old: bytes | None
    new: bytes
    mode: int | None
    new_mode: int


def recover() -> None:
    """Finish or undo the work of killed commands; running commands are left alone."""
    if not IS_POSIX:
        return
    try:
        journals = list(_journal_directory().iterdir())
    except (OSError, UnavailableError):
        return
    for journal in journals:
        # What cannot be repaired now waits for the next command.
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            _recover(journal)


@contextlib.contextmanager
def record(changes: list[Change], made: list[Path], trees: Sequence[Path] = ()) -> Generator[int | None]:
    """Name in a file what is going to be there for a moment; the file is locked as long as this process lives."""
    opened = IS_POSIX and _open_journal(required=len(changes) > 1)
    if not opened:
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
        import json

        write_all(descriptor, json.dumps(content).encode() + b"\n")
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


def complete(journal: int) -> None:
    """Declare all files of a journal complete, so that `recover` finishes the change."""
    write_all(journal, _DONE)
    os.fsync(journal)


def temporary_name(directory: Path) -> Path:
    """Return a path in a directory at which there is nothing."""
    return directory / f".hermes-sdk-{os.urandom(8).hex()}.tmp"


@contextlib.contextmanager
def lend_path(path: Path) -> Generator[Path]:
    """Lend a path at which there is nothing; remove what is made there, or let `recover` do it after a kill."""
    with record([], [], [path]):
        try:
            yield path
        finally:
            _remove(path)


@contextlib.contextmanager
def scratch_directory(prefix: str = "hermes-sdk-") -> Generator[Path]:
    """Make a temporary directory for a ``with`` block; if a kill ends that, the next command removes it."""
    import tempfile

    with lend_path(Path(tempfile.gettempdir(), f"{prefix}{os.urandom(8).hex()}")) as path:
        path.mkdir(mode=0o700)
        yield path


def remove_empty(directories: Iterable[Path]) -> None:
    """Remove the directories that are empty, the last one first."""
    for directory in reversed(list(directories)):
        with contextlib.suppress(OSError):
            links.remove_empty(directory)


def _journal_directory() -> Path:
    return cache_dir() / "journal"


def _open_journal(*, required: bool) -> tuple[int, Path] | None:
    """Make a journal and lock it; None where the cache cannot be written and nothing depends on it."""
    import fcntl

    home = Path.home()
    try:
        folder = _journal_directory()
        if not required and folder.is_relative_to(home) and not home.is_dir():
            return None  # A home that is not there, as in a build of Nix, is not made.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            path = folder / f"{os.urandom(8).hex()}.json"
            descriptor = os.open(path, (links.NEW_FILE & ~os.O_WRONLY) | os.O_RDWR, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor, path
            os.close(descriptor)  # Another process took it for one that a kill left.
    except (OSError, UnavailableError):
        if required:
            raise
        return None


def _recover(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        os.close(descriptor)
        return
    import fcntl

    from hermes_sdk.documents import parse_json

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
            remove_empty(map(Path, content["directories"]))
        for tree in content["trees"]:
            _remove(Path(tree))
        if not any(map(os.path.lexists, content["trees"])):
            path.unlink(missing_ok=True)


def _recover_file(temporary: Path, target: Path, digest: str | None, *, is_complete: bool) -> None:
    """Finish the change of a file; one that was changed since stays as it is."""
    if not temporary.exists():
        return
    old = target.read_bytes() if target.is_file() else None
    if is_complete and _digest(old) == digest:
        links.rename(temporary, target)
        sync(target.parent)
    else:
        links.unlink(temporary)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        links.remove_tree(path, ignore_errors=True)
        if not is_root() and path.is_dir():
            _unlock_tree(path)
            links.remove_tree(path, ignore_errors=True)


def _unlock_tree(tree: Path) -> None:
    """Let the owner remove what is in directories to which a plugin has changed the permissions."""
    tree.chmod(0o700)
    for folder, names, _ in os.walk(tree):
        for directory in (Path(folder, name) for name in names):
            if not directory.is_symlink():
                directory.chmod(0o700)


def _digest(data: bytes | None) -> str | None:
    import hashlib

    return None if data is None else hashlib.sha256(data).hexdigest()
