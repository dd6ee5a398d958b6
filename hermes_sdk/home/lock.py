"""File locks for exclusive writes, which the operating system releases when the process ends."""

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
def lock_file(path: Path, waiting: Callable[[], None] = lambda: None) -> Generator[None]:
    """Hold a file lock while a ``with`` block reads and changes the protected files.

    It blocks until the lock is free, excludes other uses in the same process as well, and is not reentrant.

    Args:
        path: The lock file, which remains as an empty file; a missing directory is created for its owner only.
        waiting: Called if the lock is held by another process or thread.

    Raises:
        UnavailableError: The file cannot be created or locked.
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


def lock_home(home: Path, waiting: Callable[[], None] = lambda: None) -> contextlib.AbstractContextManager[None]:
    """Hold the lock for changes to a HERMES_HOME; see `lock_file`."""
    return lock_file(home / ".hermes-sdk.lock", waiting)


def _wait(descriptor: int, waiting: Callable[[], None]) -> None:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
