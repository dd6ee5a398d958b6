"""Lock for a file that plugins write, stored in a separate file next to it."""

from __future__ import annotations

import contextlib
import fcntl
import threading
from collections.abc import Generator
from pathlib import Path

_PROCESS_LOCK = threading.RLock()


@contextlib.contextmanager
def lock(path: Path) -> Generator[None]:
    """Lock a file against other threads and processes; create its directory if it is missing."""
    lock_file = path.with_name(f".{path.name}.lock")
    with _PROCESS_LOCK:
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        with lock_file.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
