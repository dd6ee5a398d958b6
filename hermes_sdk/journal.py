"""Journal of temporary files, so that a killed command can be completed or rolled back.

A journal in the user's cache lists temporary files before they are created. Once it is marked complete, all files
change together. It is locked as long as its process lives. `recover`, which every command calls, completes or rolls
back the changes of killed commands.
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
    """A change of a file; `temporary` contains the new content until it is renamed."""

    temporary: Path
    target: Path
    old: bytes | None
    new: bytes
    mode: int | None
    new_mode: int


def recover() -> None:
    """Complete or roll back the changes of killed commands; running commands are not affected."""
    if not IS_POSIX:
        return
    try:
        journals = list(_journal_directory().iterdir())
    except (OSError, UnavailableError):
        return
    for journal in journals:
        # Keep the journal on failure: the next command retries the cleanup.
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            _recover(journal)


@contextlib.contextmanager
def record(changes: list[Change], new_directories: list[Path], trees: Sequence[Path] = ()) -> Generator[int | None]:
    """List temporary files in a journal, which is locked as long as this process lives."""
    opened = IS_POSIX and _open_journal(required=len(changes) > 1)
    if not opened:
        yield None
        return
    descriptor, path = opened
    finished = False
    try:
        content = {
            "files": [[str(one.temporary), str(one.target), _digest(one.old)] for one in changes],
            "directories": list(map(str, new_directories)),
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
        # Keep the journal: the next command retries the cleanup.
        remaining = [*trees, *(one.temporary for one in changes if not finished)]
        if not any(map(os.path.lexists, remaining)):
            path.unlink(missing_ok=True)
        os.close(descriptor)


def complete(journal: int) -> None:
    """Mark a journal as complete, so that `recover` completes the change."""
    write_all(journal, _DONE)
    os.fsync(journal)


def temporary_name(directory: Path) -> Path:
    """Return an unused path in a directory."""
    return directory / f".hermes-sdk-{os.urandom(8).hex()}.tmp"


@contextlib.contextmanager
def temporary_path(path: Path) -> Generator[Path]:
    """Register an unused path; remove its content afterwards, or have `recover` do it after a kill."""
    with record([], [], [path]):
        try:
            yield path
        finally:
            _remove(path)


@contextlib.contextmanager
def scratch_directory(prefix: str = "hermes-sdk-") -> Generator[Path]:
    """Create a temporary directory for a ``with`` block; `recover` removes it after a kill."""
    import tempfile

    with temporary_path(Path(tempfile.gettempdir(), f"{prefix}{os.urandom(8).hex()}")) as path:
        path.mkdir(mode=0o700)
        yield path


def remove_empty(directories: Iterable[Path]) -> None:
    """Remove directories that are empty, in reverse order."""
    for directory in reversed(list(directories)):
        with contextlib.suppress(OSError):
            links.remove_empty(directory)


def _journal_directory() -> Path:
    return cache_dir() / "journal"


def _open_journal(*, required: bool) -> tuple[int, Path] | None:
    """Create and lock a journal; None if the cache cannot be written and no journal is required."""
    import fcntl

    home = Path.home()
    try:
        folder = _journal_directory()
        if not required and folder.is_relative_to(home) and not home.is_dir():
            return None  # Do not create a missing home directory, for example in a Nix build.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            path = folder / f"{os.urandom(8).hex()}.json"
            descriptor = os.open(path, (links.NEW_FILE & ~os.O_WRONLY) | os.O_RDWR, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor, path
            os.close(descriptor)  # Another process treated the journal as stale and removed it.
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
            content = {
                "files": [],
                "directories": [],
                "trees": [],
            }  # Killed before any change.
        for temporary, target, digest in content["files"]:
            _recover_file(Path(temporary), Path(target), digest, is_complete=rest == _DONE)
        if rest != _DONE:
            remove_empty(map(Path, content["directories"]))
        for tree in content["trees"]:
            _remove(Path(tree))
        if not any(map(os.path.lexists, content["trees"])):
            path.unlink(missing_ok=True)


def _recover_file(temporary: Path, target: Path, digest: str | None, *, is_complete: bool) -> None:
    """Complete or roll back the change of a file, unless it was changed in the meantime."""
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
    """Make directories removable whose permissions a plugin has changed."""
    tree.chmod(0o700)
    for folder, names, _ in os.walk(tree):
        for directory in (Path(folder, name) for name in names):
            if not directory.is_symlink():
                directory.chmod(0o700)


def _digest(data: bytes | None) -> str | None:
    import hashlib

    return None if data is None else hashlib.sha256(data).hexdigest()
