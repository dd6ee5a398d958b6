"""The processes around a plugin's: one outside of its namespaces, which ends with the command, and their pid 1."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from .kernel import end_with_parent
from .limits import MEMORY, PROCESSES, SOCKETS

_INTERVAL = 0.05
_PAGE = os.sysconf("SC_PAGESIZE")
_THREADS, _PAGES = 17, 21
"""Fields of ``/proc/PID/stat``, counted from behind the name."""


def fork_supervised(prepare: Callable[[], None], abandoned: Sequence[str]) -> None:
    """Go on in a grandchild, as the second process of the namespace of processes that `namespaces` has made.

    This process waits for its end and ends in the same way. When its own parent ends before, it removes the `abandoned`
    directories. In between stands pid 1, with which all other processes of the namespace end.

    Args:
        prepare: Called in pid 1, before the grandchild starts.
        abandoned: Directories that nobody else removes any more when the parent is gone.
    """
    # Taken as a request to end, which must not come between the fork and the place that handles it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGCHLD])
    end_with_parent(signal.SIGTERM)
    reading, writing = os.pipe()
    first = os.fork()
    if first:
        os.close(writing)
        _wait_outside(first, reading, abandoned)
    end_with_parent(signal.SIGKILL)
    os.close(reading)
    prepare()
    plugin = os.fork()
    if plugin:
        _be_first(plugin, writing)
    os.close(writing)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM, signal.SIGCHLD])


def _wait_outside(first: int, reading: int, abandoned: Sequence[str]) -> NoReturn:
    """Wait until the namespace is empty, and end as the plugin's process did."""
    while (told := signal.sigwait([signal.SIGTERM, signal.SIGCHLD])) == signal.SIGCHLD:
        done, _ = os.waitpid(first, os.WNOHANG)
        if done:
            break
    if told == signal.SIGTERM:
        os.kill(first, signal.SIGKILL)
        os.waitpid(first, 0)
        for directory in abandoned:
            shutil.rmtree(directory, ignore_errors=True)
    packed = os.read(reading, 4)
    code = struct.unpack("=i", packed)[0] if packed else -signal.SIGKILL
    if code < 0:
        with contextlib.suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-code])
        os.kill(os.getpid(), -code)
    os._exit(code & 255)


def _be_first(plugin: int, writing: int) -> NoReturn:
    """Collect what ends, until the plugin's process does, or until all of them take too much."""
    code, watched, sockets, shared = None, time.monotonic(), _count_sockets(), _measure_shared_memory()
    while code is None:
        signal.sigtimedwait([signal.SIGCHLD], _INTERVAL)
        code = _collect(plugin)
        if code is None and time.monotonic() - watched >= _INTERVAL:
            watched = time.monotonic()
            if excess := _find_excess(sockets, shared):
                os.write(2, f"The plugin and its child processes were stopped: {excess}.\n".encode())
                code = -signal.SIGKILL
    os.write(writing, struct.pack("=i", code))
    os._exit(0)


def _collect(plugin: int) -> int | None:
    """Return the exit code of the plugin's process, if it ended."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == plugin:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def _find_excess(sockets: int, shared: int) -> str:
    """Return what all processes together take too much of; empty when they do not.

    Args:
        sockets: How many there were at first, which is none in a network of their own.
        shared: The shared memory of the machine at first.
    """
    if _count_sockets() - sockets > SOCKETS:
        return f"more than {SOCKETS:,} sockets"
    if _measure_shared_memory() - shared > MEMORY:
        return f"more than {MEMORY // 1024**3} GB of shared memory"
    names = [name for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
    threads, pages = len(names), 0
    if threads <= PROCESSES:
        facts = [one for name in names if (one := _read_facts(name))]
        threads, pages = sum(one[0] for one in facts), sum(one[1] for one in facts)
    if threads > PROCESSES:
        return f"more than {PROCESSES} processes and threads"
    return f"more than {MEMORY // 1024**3} GB of memory" if pages * _PAGE > MEMORY else ""


def _count_sockets() -> int:
    """Return how many sockets there are in this network, or TCP connections, which need none while they wait.

    A socket on its way to another process counts, too.
    """
    used = connections = 0
    for name in ("sockstat", "sockstat6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", name).read_text(encoding="ascii").splitlines():
                match line.split():
                    case ["sockets:", "used", number, *_]:
                        used = int(number)
                    case ["TCP:" | "TCP6:", "inuse", number, *_]:
                        connections += int(number)
                    case _:
                        pass
    return max(used, connections)


def _measure_shared_memory() -> int:
    """Return the bytes of the machine's shared memory; the kernel has no smaller count.

    Memory that processes share stays there while one of them maps any part of it, and no process has the rest.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("Shmem:"):
                return int(line.split()[1]) * 1024
    return 0


def _read_facts(process: str) -> tuple[int, int] | None:
    """Return how many threads and pages in memory a process has; None when it is gone."""
    try:
        fields = Path("/proc", process, "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[_THREADS]), int(fields[_PAGES])
