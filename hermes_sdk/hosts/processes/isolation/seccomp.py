"""The layer ``seccomp``: block system calls that plugins do not need and that could bypass the other layers.

A filter is a BPF program that receives the architecture, the number and the arguments of a system call. Our filter
allows all calls except those that it lists.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator

from .kernel import call, forbid_new_privileges

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_REFUSED = {
    # The memory and descriptors of other processes, and keys that outlive this process.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Mounts and namespaces; `clone` is filtered by its flags.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # Memory that does not belong to a process, so that limits do not count it.
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_secret": (447, 447),
    # Large and rarely used parts of the kernel; `io_uring` makes system calls that bypass filters.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Administration of the machine.
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}

_MISSING = {
    # Programs have fallbacks for these calls. A filter cannot read the flags of `clone3`.
    "clone3": (435, 435),
    "memfd_create": (319, 279),
}

_CLONE, _SOCKET, _IOCTL = (56, 220), (41, 198), (16, 29)
_PRLIMIT, _SET_PRIORITY, _SET_IO_PRIORITY = (302, 261), (141, 140), (251, 30)
_SET_SOCKET_OPTION, _SOCKET_LEVEL = (54, 208), 1
_BUFFER_SIZES = (7, 8, 32, 33)
"""``SO_SNDBUF``, ``SO_RCVBUF`` and their ``FORCE`` variants, which are only hints."""
_NEW_NAMESPACES = 0x7E020080
_FAMILIES = (2, 10, 16)
"""IPv4, IPv6, and netlink, which the C library uses to list interfaces; not Unix sockets, which reach services."""
_TYPING = (0x5412, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX``, which simulate input in a terminal."""

_NUMBER, _ARCHITECTURE, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _FAIL, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_FIRST_X32 = 0x40000000
_SET_SECCOMP, _FILTER = 22, 2

_Instruction = tuple[int, int, int, int]


def filter_calls() -> None:
    """Block the listed system calls in this process and its children.

    Raises:
        OSError: The kernel does not support filters, or the architecture is not in the table.
    """
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"the system calls of {machine} are not known")
    program = b"".join(struct.pack("=HBBI", *one) for one in _build_program(*_ARCHITECTURES[machine]))
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    forbid_new_privileges()
    call("prctl", _SET_SECCOMP, _FILTER, header, 0, 0)


def _build_program(column: int, architecture: int) -> Iterator[_Instruction]:
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield from _unless_equal(architecture, _KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    yield from ((_AT_LEAST, 0, 1, _FIRST_X32), (_RETURN, 0, 0, _FAIL | errno.ENOSYS))
    for table, error in ((_REFUSED, errno.EPERM), (_MISSING, errno.ENOSYS)):
        for numbers in table.values():
            yield from _if_equal(numbers[column], _FAIL | error)
    refused = (_RETURN, 0, 0, _FAIL | errno.EPERM)
    allowed_families = [one for family in _FAMILIES for one in _if_equal(family, _ALLOW)]
    other_family = (_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT)
    typing = [one for request in _TYPING for one in _if_equal(request, _FAIL | errno.EPERM)]
    yield from _filter_argument(_SOCKET[column], _FIRST, [*allowed_families, other_family])
    yield from _filter_argument(_CLONE[column], _FIRST, [(_ANY_BIT, 0, 1, _NEW_NAMESPACES), refused])
    yield from _filter_argument(_IOCTL[column], _SECOND, typing)
    # The limits do not count the memory of larger buffers, so the call does nothing and reports success.
    sizes = [one for option in _BUFFER_SIZES for one in _if_equal(option, _FAIL | 0)]
    socket_options = [*_unless_equal(_SOCKET_LEVEL, _ALLOW), (_LOAD, 0, 0, _THIRD), *sizes]
    yield from _filter_argument(_SET_SOCKET_OPTION[column], _SECOND, socket_options)
    # Allow these calls only for this process, whose number is 0 in their arguments.
    for numbers, process in ((_PRLIMIT, _FIRST), (_SET_PRIORITY, _SECOND), (_SET_IO_PRIORITY, _SECOND)):
        yield from _filter_argument(numbers[column], process, _unless_equal(0, _FAIL | errno.EPERM))
    yield (_RETURN, 0, 0, _ALLOW)


def _if_equal(value: int, result: int) -> list[_Instruction]:
    return [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, result)]


def _unless_equal(value: int, result: int) -> list[_Instruction]:
    return [(_EQUAL, 1, 0, value), (_RETURN, 0, 0, result)]


def _filter_argument(number: int, argument: int, decision: list[_Instruction]) -> list[_Instruction]:
    """Apply a decision to an argument of a system call; if the decision does not return, the call is allowed."""
    steps = [(_LOAD, 0, 0, argument), *decision, (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(steps), number), *steps]
