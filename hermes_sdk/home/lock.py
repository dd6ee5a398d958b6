"""One writer at a time: a lock that a process holds on a file, which the system releases when the process ends."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Generator
from pathlib import Path

from hermes_sdk.errors import UnavailableError


@contextlib.contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the lock of a file while a ``with`` block reads, changes and writes what the file stands for.

    The lock waits for others, and also keeps out another use of the same file in this process; it does not nest.

    Args:
        path: The lock's own file, which stays behind empty; a missing directory is made, for its owner only.

    Raises:
        UnavailableError: The file cannot be made or locked.
    """
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = stack.enter_context(path.open("ab"))
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UnavailableError(
                f"cannot lock the file: {reason}", where=str(path), fix="Nothing was changed."
            ) from error
        yield
