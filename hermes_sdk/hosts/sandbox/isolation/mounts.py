"""The layer ``mountns``: files of the machine can be read only, and the writable directories are of limited size."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path

from .kernel import call, syscall

SIZE = 1024**3
"""Bytes that all writable directories may hold together."""

_FILES = 100_000
_NEW_MOUNTS = 0x00020000
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 8, 1 << 12, 1 << 14, 1 << 18
_MOUNT_SETATTR, _HERE, _ALL_BELOW = 442, -100, 0x8000
_READ_ONLY, _DETACH = 1, 2


def shared_memory() -> list[str]:
    """Return where POSIX shared memory lives, in a list; an empty one where there is no such place."""
    return ["/dev/shm"] if Path("/dev/shm").is_dir() else []


def replace_mounts(writable: Sequence[str]) -> None:
    """Make everything read-only but copies of the writable directories, which are gone with this mount namespace.

    The shared memory is an empty directory among them; ``/proc`` shows the processes of this namespace. Where a step
    fails, the directories are as they were.
    """
    here = Path.cwd()
    call("unshare", _NEW_MOUNTS)
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    _mount("proc", "/proc", "proc", _NO_SETUID | _NO_DEVICES | _NO_PROGRAMS)
    originals = [os.open(directory, os.O_PATH | os.O_DIRECTORY) for directory in writable]
    places = [*writable, *shared_memory()]
    top = places[0]
    _mount("tmpfs", top, "tmpfs", _NO_SETUID | _NO_DEVICES, f"size={SIZE},nr_inodes={_FILES},mode=700")
    try:
        _fill(Path(top), originals, places)
        _set_attributes("/", _ALL_BELOW, _READ_ONLY, 0)
    except (OSError, shutil.Error):
        call("umount2", top.encode(), _DETACH)
        raise
    finally:
        for original in originals:
            os.close(original)
    for place in places:
        _set_attributes(place, 0, 0, _READ_ONLY)
    # Until then, this process stands in what is now hidden.
    os.chdir(here)


def _fill(top: Path, originals: Sequence[int], places: Sequence[str]) -> None:
    """Put a copy of each original, or an empty directory, at its place."""
    copies = [top / str(number) for number in range(len(places))]
    for copy, original in zip(copies, originals, strict=False):
        shutil.copytree(f"/proc/self/fd/{original}", copy, symlinks=True)
    for copy in copies[len(originals) :]:
        copy.mkdir()
    # The first one last: it hides the others.
    for copy, place in reversed([*zip(copies, places, strict=True)]):
        _mount(str(copy), place, "", _BIND)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    call("mount", source.encode(), target.encode(), kind.encode(), flags, options.encode())


def _set_attributes(target: str, how: int, added: int, removed: int) -> None:
    attributes = struct.pack("=QQQQ", added, removed, 0, 0)
    syscall(_MOUNT_SETATTR, _HERE, target.encode(), how, attributes, ctypes.c_size_t(len(attributes)))
