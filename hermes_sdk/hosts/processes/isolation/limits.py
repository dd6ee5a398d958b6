"""The layer ``rlimit``: limits of what one process may take, and of how many there may be."""

from __future__ import annotations

import contextlib
import math
import resource

MEMORY = 8 * 1024**3
"""Bytes that one process may map, that all of them together may have in memory, and that they may share."""

PROCESSES = 256
"""How many processes and threads there may be; see also `supervision`."""

SOCKETS = 1024
"""How many sockets there may be, and how many TCP connections; see also `supervision`.

No process has the memory of their buffers. `seccomp` keeps the size of a buffer at the system's default, 208 KiB, which
one more packet of half the size may exceed, so that the buffers of all sockets take at most 1,024 × 312 KiB = 312 MiB.
Datagrams of closed sockets, of which `namespaces.limit_buffers` lets two wait, take twice as much. Buffers of TCP are
smaller where it can limit them; elsewhere the machine's limit for all TCP holds, a tenth of its memory.
"""

_FILE_SIZE = 256 * 1024**2

_OPEN_FILES = 512
"""How many descriptors one process may have.

With two for a pipe, 256 processes have at most 65,536 pipes. The system gives a user without rights 64 MiB for pipes,
and 8 KiB for each one beyond that: less than 600 MiB.
"""


def limit_resources(seconds: float) -> None:
    """Limit the CPU time, and the rest to what no plugin needs."""
    _lower(resource.RLIMIT_CPU, math.ceil(seconds) + 1)
    _lower(resource.RLIMIT_FSIZE, _FILE_SIZE)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    # macOS knows the limit and refuses to set it.
    with contextlib.suppress(OSError, ValueError):
        _lower(resource.RLIMIT_AS, MEMORY)


def limit_processes() -> None:
    """Limit the number of processes; for a user namespace of its own, since the limit counts all of a user's."""
    _lower(resource.RLIMIT_NPROC, PROCESSES)


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))
