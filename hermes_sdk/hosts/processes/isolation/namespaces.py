"""Isolation by namespaces: the layers ``mountns``, ``pidns``, ``ipcns`` and ``netns``."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import socket
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from .kernel import call, forbid_new_privileges, syscall

_NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_CAPABILITY_VERSION = 0x20080522

_BUFFERS = {
    "ipv4/tcp_rmem": "4096 65536 131072",
    "ipv4/tcp_wmem": "4096 16384 131072",
    "unix/max_dgram_qlen": "1",
}
"""Sizes of the buffers of a TCP connection in bytes, and the number of pending datagrams of a Unix socket."""


def leave_namespaces(*, network: bool) -> None:
    """Move this process into new user, IPC and network namespaces, and its children into a new PID namespace.

    With `network`, the process keeps access to the machine's network. The user namespace maps only our user and group.
    Until `drop_capabilities`, this process has administrator rights in the new namespaces.
    """
    user, group = os.getuid(), os.getgid()
    call("unshare", _NEW_USER | _NEW_PIDS | _NEW_IPC | (0 if network else _NEW_NET))
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def start_loopback() -> None:
    """Bring up the loopback interface of a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        (flags,) = struct.unpack_from("16xh", fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sh14x", b"lo", 0)))
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def limit_buffers() -> None:
    """Limit the memory of connections in a new network namespace.

    Raises:
        OSError: The limits cannot be changed, as in some containers.
    """
    for name, limit in _BUFFERS.items():
        Path("/proc/sys/net", name).write_text(limit, encoding="ascii")


def drop_capabilities() -> None:
    """Drop all capabilities, including for programs that are started later."""
    forbid_new_privileges()
    call("capset", struct.pack("=Ii", _CAPABILITY_VERSION, 0), bytes(24))


SIZE = 1024**3
"""Maximum size of all writable directories together, in bytes."""

_FILES = 100_000
_NEW_MOUNTS = 0x00020000
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 8, 1 << 12, 1 << 14, 1 << 18
_MOUNT_SETATTR, _HERE, _ALL_BELOW = 442, -100, 0x8000
_READ_ONLY, _DETACH = 1, 2


_SHARED_MEMORY = Path("/dev/shm")


def shared_memory() -> list[str]:
    """Return the directory of POSIX shared memory in a list, which is empty if there is none."""
    return [str(_SHARED_MEMORY)] if _SHARED_MEMORY.is_dir() else []


def replace_mounts(writable: Sequence[str], readable: Sequence[str] = ()) -> None:
    """Replace the writable directories by copies that exist only in this mount namespace, and make the rest read-only.

    The directory of shared memory is replaced by a directory with only the `readable` paths. ``/proc`` shows the
    processes of this PID namespace. If a step fails, the directories are unchanged.
    """
    here = Path.cwd()
    call("unshare", _NEW_MOUNTS)
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    _mount("proc", "/proc", "proc", _NO_SETUID | _NO_DEVICES | _NO_PROGRAMS)
    places = [*writable, *shared_memory()]
    with contextlib.ExitStack() as stack:
        originals = [_open(directory, stack) for directory in writable]
        shared = {place: _open(place, stack) for place in map(os.path.realpath, readable) if _is_shared(place)}
        top = places[0]
        _mount("tmpfs", top, "tmpfs", _NO_SETUID | _NO_DEVICES, f"size={SIZE},nr_inodes={_FILES},mode=700")
        mounted = [top]
        try:
            copies = _copy(Path(top), originals, places, shared)
            # Use descriptors, because the new shared memory may hide the copies; mount it before the paths within it.
            sources = [(place, _open(copy, stack)) for place, copy in zip(places, copies, strict=True)]
            count = len(writable)
            for place, source in (*sources[count:], *shared.items(), *reversed(sources[:count])):
                _mount(source, place, "", _BIND)
                mounted.append(place)
            _set_attributes("/", _ALL_BELOW, _READ_ONLY, 0)
        except (OSError, shutil.Error):
            for place in reversed(mounted):
                call("umount2", place.encode(), _DETACH)
            raise
    for place in places:
        _set_attributes(place, 0, 0, _READ_ONLY)
    # The old working directory is hidden by the new mount.
    os.chdir(here)


def _open(place: str, stack: contextlib.ExitStack) -> str:
    """Return a path to a file or directory that stays valid if another mount hides it."""
    descriptor = os.open(place, os.O_PATH)
    stack.callback(os.close, descriptor)
    return f"/proc/self/fd/{descriptor}"


def _is_shared(place: str) -> bool:
    return _SHARED_MEMORY in Path(place).parents and Path(place).exists()


def _copy(top: Path, originals: Sequence[str], places: Sequence[str], shared: Iterable[str]) -> list[str]:
    """Copy each original, and create a directory for the shared memory, with mount points for the paths in it."""
    copies = [top / str(number) for number in range(len(places))]
    for copy, original in zip(copies, originals, strict=False):
        shutil.copytree(original, copy, symlinks=True)
    for copy in copies[len(originals) :]:
        copy.mkdir()
        for place in filter(_is_shared, [*shared, *places]):
            _make_mount_point(copy / Path(place).relative_to(_SHARED_MEMORY), is_directory=Path(place).is_dir())
    return list(map(str, copies))


def _make_mount_point(target: Path, *, is_directory: bool) -> None:
    """Create a directory or file to mount on."""
    if is_directory:
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    call("mount", source.encode(), target.encode(), kind.encode(), flags, options.encode())


def _set_attributes(target: str, how: int, added: int, removed: int) -> None:
    attributes = struct.pack("=QQQQ", added, removed, 0, 0)
    syscall(_MOUNT_SETATTR, _HERE, target.encode(), how, attributes, ctypes.c_size_t(len(attributes)))
