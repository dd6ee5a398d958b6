"""The layers ``pidns``, ``ipcns`` and ``netns``: processes, shared memory and a network of its own."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from pathlib import Path

from .kernel import call, forbid_new_privileges

_NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_CAPABILITY_VERSION = 0x20080522


def leave_namespaces(*, network: bool) -> None:
    """Move this process into a network and memory, and its children among processes, of their own.

    With `network`, the network stays that of the machine.
    All of it belongs to a user namespace that keeps our user and group. Until `drop_capabilities`, this process may
    change it as an administrator does.
    """
    user, group = os.getuid(), os.getgid()
    call("unshare", _NEW_USER | _NEW_PIDS | _NEW_IPC | (0 if network else _NEW_NET))
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def start_loopback() -> None:
    """Bring the loopback of a new network up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        (flags,) = struct.unpack_from("16xh", fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sh14x", b"lo", 0)))
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def drop_capabilities() -> None:
    """Give up all rights of an administrator; programs that are started later do not get them back either."""
    forbid_new_privileges()
    call("capset", struct.pack("=Ii", _CAPABILITY_VERSION, 0), bytes(24))
