"""One writer at a time: a lock that a process holds on a file, which the system releases when the process ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator
from pathlib import Path

from hermes_sdk import links
from hermes_sdk.disk import adopt, make_directory
from hermes_sdk.errors import UnavailableError
from hermes_sdk.system import require_posix


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Generator[None]:
    """Hold the lock of a file while a ``with`` block reads, changes and writes what the file stands for.

    The lock waits for others, and also keeps out another use of the same file in this process; it does not nest.

    Args:
        path: The lock's own file, which stays behind empty; a missing directory is made, for its owner only.
        waiting: Called when another one holds the lock.

    Raises:
        UnavailableError: The file cannot be made or locked.
    """
    require_posix("changing a HERMES_HOME")
    with contextlib.ExitStack() as stack:
        try:
            make_directory(path.parent, mode=0o700)
            is_new = not path.exists()
            descriptor = links.open_file(path, flags=links.LOCK_FILE)
            stack.callback(os.close, descriptor)
            if is_new:
                adopt(path, path.parent)
            _wait(descriptor, waiting)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UnavailableError(
                f"cannot lock the file: {reason}", where=str(path), fix="Nothing was changed."
            ) from error
        yield


def home_locked(home: Path, waiting: Callable[[], None] = lambda: None) -> contextlib.AbstractContextManager[None]:
    """Hold the lock that everything takes that changes a HERMES_HOME; see `locked`."""
    return locked(home / ".hermes-sdk.lock", waiting)


def _wait(descriptor: int, waiting: Callable[[], None]) -> None:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
