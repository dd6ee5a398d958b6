"""Both sides of a fork: the environment of the child, and its end in the parent."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path


def enter_environment(environment: Mapping[str, str], cwd: str | Path) -> None:
    """Replace the environment and the working directory of this process, and what Python has cached of them."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    tempfile.tempdir = None
    os.chdir(cwd)


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
