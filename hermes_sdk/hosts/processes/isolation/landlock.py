"""The layers ``landlock`` and ``tcp``: restrictions of file access and connections by Landlock."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

from .kernel import forbid_new_privileges, libc, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_WRITE_FILE, _READ_FILE, _READ_DIRECTORY, _REFER, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 13, 1 << 14
_READS = _READ_FILE | _READ_DIRECTORY
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2


def landlock_version() -> int:
    """Return the kernel's version of Landlock, or 0."""
    if sys.platform != "linux":
        return 0
    return max(int(libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)), 0)


def restrict(writable: Sequence[str], readable: Sequence[str], *, without_tcp: bool) -> None:
    """Restrict changes to the `writable` directories, and reads to these and the `readable` paths, if they exist.

    If the version of Landlock supports it, abstract Unix sockets and signals to other processes are also blocked, and,
    with `without_tcp`, TCP.

    Raises:
        OSError: The kernel does not support Landlock.
    """
    version = landlock_version()
    changes = _CHANGES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attributes = [
        changes | _READS,
        (_BIND_TCP | _CONNECT_TCP if without_tcp else 0) if version >= 4 else None,
        _ABSTRACT_SOCKETS | _SIGNALS if version >= 6 else None,
    ]
    packed = b"".join(struct.pack("=Q", one) for one in attributes if one is not None)
    ruleset = syscall(_CREATE_RULESET, packed, ctypes.c_size_t(len(packed)), 0)
    try:
        for directory in writable:
            _allow(ruleset, directory, changes | _READS)
        for place in readable:
            with suppress(OSError):
                _allow(ruleset, place, _READS)
        _allow(ruleset, "/dev/null", changes)
        forbid_new_privileges()
        syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _WRITE_FILE | _READ_FILE | _TRUNCATE
        syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)
