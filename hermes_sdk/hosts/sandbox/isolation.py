"""What keeps a child process that runs foreign code from the rest of the machine.

The layers, each of which stops accidents and most harm by itself; together they are still no proof against an attack on
the kernel:

    env        a short list of environment variables, no keys and tokens   (`process.child_environment`)
    tmp        a temporary HOME, HERMES_HOME, TMPDIR and working directory
    rlimit     limits of CPU time, memory and the size of files
    netns      a network of its own that has nothing but loopback; where the kernel does not allow it:
    tcp        no TCP at all (Landlock); where that is missing, too:
    guard      Python's sockets reach loopback only (`in_worker.network_guard`), which code can go around
    landlock   files can be made, written and removed in the temporary directories only (their owners, permissions and
               times are not covered), and, on newer kernels, no other process can be reached by a signal

This module is run in the child before any code of the plugin. It needs the standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import math
import os
import resource
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

FULL = ("env", "tmp", "rlimit", "netns", "landlock")
"""All layers, as strong as they can be."""

_MEMORY = 8 * 1024**3
_FILE_SIZE = 256 * 1024**2

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_WRITE_FILE, _TRUNCATE, _REFER = 1 << 1, 1 << 14, 1 << 13
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2


def enter(writable: Sequence[str], seconds: float) -> tuple[str, ...]:
    """Put this process and its children behind every layer that the machine has. This cannot be undone.

    Files may be changed in the `writable` directories only; `seconds` limits the CPU time.

    Returns:
        The layers, in the order of `FULL`; ``env`` and ``tmp`` are the work of whoever started the process.
    """
    layers = ["env", "tmp"]
    if _works(_limit_resources, seconds):
        layers.append("rlimit")
    own_network = _works(_leave_network)
    version = landlock_version()
    without_tcp = not own_network and version >= 4
    landlock = version > 0 and _works(_restrict, writable, version, without_tcp)
    layers.append("netns" if own_network else "tcp" if landlock and without_tcp else "guard")
    if landlock:
        layers.append("landlock")
    return tuple(layers)


def _works(step: Callable[..., None], *args: object) -> bool:
    try:
        step(*args)
    except (OSError, ValueError, AttributeError):
        return False
    return True


def _limit_resources(seconds: float) -> None:
    _lower(resource.RLIMIT_CPU, math.ceil(seconds) + 1)
    _lower(resource.RLIMIT_FSIZE, _FILE_SIZE)
    _lower(resource.RLIMIT_CORE, 0)
    # macOS knows the limit and refuses to set it.
    with contextlib.suppress(OSError, ValueError):
        _lower(resource.RLIMIT_AS, _MEMORY)


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def _leave_network() -> None:
    """Move into a network of our own, with a user namespace that keeps our user, and bring its loopback up."""
    user, group = os.getuid(), os.getgid()
    _call(_libc().unshare, _NEW_USER | _NEW_NET)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        (flags,) = struct.unpack_from("16xh", fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sh14x", b"lo", 0)))
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has; 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)), 0)


def _restrict(writable: Sequence[str], version: int, without_tcp: bool) -> None:
    """Allow changes of files in some directories only; from version 4 on also no TCP, from 6 on no other processes."""
    changes = _CHANGES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attributes = [
        changes,
        (_BIND_TCP | _CONNECT_TCP if without_tcp else 0) if version >= 4 else None,
        _ABSTRACT_SOCKETS | _SIGNALS if version >= 6 else None,
    ]
    packed = b"".join(struct.pack("=Q", one) for one in attributes if one is not None)
    ruleset = _call(_libc().syscall, _CREATE_RULESET, packed, ctypes.c_size_t(len(packed)), 0)
    try:
        for directory in writable:
            _allow(ruleset, directory, changes)
        _allow(ruleset, "/dev/null", changes & (_WRITE_FILE | _TRUNCATE))
        _call(_libc().prctl, _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _call(_libc().syscall, _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, changes: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _call(_libc().syscall, _ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", changes, descriptor), 0)
    finally:
        os.close(descriptor)


def _call(function: Callable[..., int], *args: object) -> int:
    result = function(*args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
