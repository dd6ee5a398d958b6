"""The layer ``rlimit``: limits of the resources of a process and of the number of processes."""

from __future__ import annotations

import contextlib
import math
import resource

MEMORY = 8 * 1024**3
"""Maximum bytes that one process maps, that all processes have in memory together, and of their shared memory."""

PROCESSES = 256
"""Maximum number of processes and threads; see also `supervision`."""

SOCKETS = 1024
"""Maximum number of sockets, and of TCP connections; see also `supervision`.

The memory of their buffers does not belong to a process. `seccomp` keeps the size of a buffer at the system's default,
208 KiB, which can be exceeded by one packet of half the size, so that the buffers of all sockets use at most
1,024 × 312 KiB = 312 MiB. Pending datagrams of closed sockets, which `namespaces.limit_buffers` limits to two, use
twice as much. TCP buffers are smaller if `limit_buffers` can limit them; otherwise, the machine's limit for TCP
applies, a tenth of its memory.
"""

_FILE_SIZE = 256 * 1024**2

_OPEN_FILES = 512
"""Maximum number of file descriptors of a process.

With two descriptors per pipe, 256 processes have at most 65,536 pipes. The system grants an unprivileged user 64 MiB
for pipes, and 8 KiB for each additional one: less than 600 MiB.
"""


def limit_resources(seconds: float) -> None:
    """Limit the CPU time, and set generous limits for other resources."""
    _lower(resource.RLIMIT_CPU, math.ceil(seconds) + 1)
    _lower(resource.RLIMIT_FSIZE, _FILE_SIZE)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    # macOS defines this limit but does not allow setting it.
    with contextlib.suppress(OSError, ValueError):
        _lower(resource.RLIMIT_AS, MEMORY)


def limit_processes() -> None:
    """Limit the number of processes; use it in a user namespace, because it counts all processes of the user."""
    _lower(resource.RLIMIT_NPROC, PROCESSES)


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))
