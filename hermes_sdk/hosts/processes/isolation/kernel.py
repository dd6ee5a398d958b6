"""System calls that the standard library does not provide."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from functools import cache

_NO_NEW_PRIVILEGES = 38
_SIGNAL_AT_DEATH_OF_PARENT = 1


def call(name: str, *args: object) -> int:
    """Call a function of the C library that returns a negative number and sets ``errno`` on failure.

    Raises:
        OSError: The call failed, or the C library does not have the function.
    """
    function: Callable[..., int] | None = getattr(libc(), name, None)
    if function is None:
        raise OSError(f"the C library has no {name}")
    result = function(*args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


def syscall(number: int, *args: object) -> int:
    """Make a system call by number; see `call`."""
    return call("syscall", ctypes.c_long(number), *args)


@cache
def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def forbid_new_privileges() -> None:
    """Prevent programs such as ``sudo`` from gaining additional privileges."""
    call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def end_with_parent(number: int, channel: socket.socket | None = None) -> None:
    """Make the kernel send this process a signal when its parent ends; does nothing on systems other than Linux.

    Args:
        number: The signal.
        channel: A connection to the parent, to notice if the parent has ended before this call.
    """
    if sys.platform == "linux":
        call("prctl", _SIGNAL_AT_DEATH_OF_PARENT, number, 0, 0, 0)
        if channel is not None and _is_closed(channel):
            signal.raise_signal(signal.Signals(number))


def peer_user(connection: socket.socket) -> int:
    """Return the user ID of the process at the other end of a local connection."""
    if sys.platform == "linux":
        size = struct.calcsize("3i")
        _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        return int(user)
    peer = (ctypes.c_uint32(), ctypes.c_uint32())
    call("getpeereid", connection.fileno(), *map(ctypes.byref, peer))
    return peer[0].value


def _is_closed(channel: socket.socket) -> bool:
    """Return whether the other end of a connection is closed; there may still be data to read."""
    poll = select.poll()
    poll.register(channel, 0)
    return any(events & select.POLLHUP for _, events in poll.poll(0))
