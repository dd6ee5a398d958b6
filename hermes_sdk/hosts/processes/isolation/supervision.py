"""Supervision of a plugin's process by a process outside its namespaces, and by PID 1 within them."""

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
"""Indexes of fields in ``/proc/PID/stat``, counted after the name."""


def fork_supervised(prepare: Callable[[], None], abandoned: Sequence[str]) -> None:
    """Fork twice and return in the grandchild, the second process of the PID namespace that `namespaces` has created.

    This process waits for the grandchild and exits with the same status. If its own parent ends first, it removes the
    `abandoned` directories. The child is PID 1, with which all other processes of the namespace end.

    Args:
        prepare: Called in PID 1, before the grandchild starts.
        abandoned: Directories that the parent would have removed.
    """
    # The signals must not arrive before the code that waits for them.
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
        _supervise_inside(plugin, writing)
    os.close(writing)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM, signal.SIGCHLD])


def _wait_outside(first: int, reading: int, abandoned: Sequence[str]) -> NoReturn:
    """Wait until the namespace is empty, and exit with the status of the plugin's process."""
    while (received := signal.sigwait([signal.SIGTERM, signal.SIGCHLD])) == signal.SIGCHLD:
        done, _ = os.waitpid(first, os.WNOHANG)
        if done:
            break
    if received == signal.SIGTERM:
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


def _supervise_inside(plugin: int, writing: int) -> NoReturn:
    """Reap child processes until the plugin's process ends, or all processes together exceed a limit."""
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
    """Reap ended processes, and return the exit code of the plugin's process if it is one of them."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == plugin:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def _find_excess(sockets: int, shared: int) -> str:
    """Describe the limit that all processes exceed together; empty if there is none.

    Args:
        sockets: The initial number of sockets, which is 0 in a separate network.
        shared: The initial size of the machine's shared memory.
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
    """Return the number of sockets in this network, or of TCP connections, if that is larger.

    The number of sockets includes those that are being sent to another process, but not pending TCP connections.
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
    """Return the size of the machine's shared memory in bytes; the kernel has no counter per namespace.

    The memory of processes does not include shared memory that they do not map, although it exists as long as any part
    of it is mapped.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("Shmem:"):
                return int(line.split()[1]) * 1024
    return 0


def _read_facts(process: str) -> tuple[int, int] | None:
    """Return the numbers of threads and of resident pages of a process; None if it has ended."""
    try:
        fields = Path("/proc", process, "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[_THREADS]), int(fields[_PAGES])
