"""A lock for a file that plugins write to, kept in a file beside it."""

from __future__ import annotations

import contextlib
import fcntl
import threading
from collections.abc import Generator
from pathlib import Path

_OF_PROCESS = threading.RLock()


@contextlib.contextmanager
def lock(path: Path) -> Generator[None]:
    """Keep other threads and processes from the file; its directory is made."""
    beside = path.with_name(f".{path.name}.lock")
    with _OF_PROCESS:
        beside.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
