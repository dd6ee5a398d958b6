"""Both sides of a fork: the environment of the child, and its end in the parent."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from types import FrameType


def enter_environment(environment: Mapping[str, str], cwd: str | Path) -> None:
    """Replace the environment and the working directory of this process, and what Python has cached of them."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    tempfile.tempdir = None
    os.chdir(cwd)


@contextlib.contextmanager
def interrupts_deferred() -> Generator[None]:
    """Raise a `KeyboardInterrupt` at the end of the ``with`` block only, when somebody knows what has to be ended.

    The signal is not blocked, since a child process would inherit that.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    frames: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: frames.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if frames:
            handler(signal.SIGINT, frames[0])


def reap(pid: int, patience: float) -> int:
    """End a child with its process group, which it leads, and return its exit status, negative for a signal.

    It gets `patience` seconds to end by itself.
    """
    deadline = time.monotonic() + patience
    done, status = os.waitpid(pid, os.WNOHANG)
    while not done and time.monotonic() < deadline:
        time.sleep(0.001)
        done, status = os.waitpid(pid, os.WNOHANG)
    kill_group(pid)
    if not done:
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def kill_group(leader: int) -> None:
    """Kill a process group; a group that is gone already is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
