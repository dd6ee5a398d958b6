"""The connection between a process and a server that forks for it, such as `fork_server` or `child_server`."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

from hermes_sdk.hosts.processes.process import child_environment, python_command

_MESSAGE = 1 << 16
_DESCRIPTORS = 3


def start(
    module: str, folder: Path, variables: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the ``main`` of a module in a directory, which is its home too; the arguments end with its descriptor."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [*python_command(module), str(theirs.fileno())],
            env=child_environment(folder, folder, variables),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return process, ours


def receive(control: socket.socket) -> tuple[bytes, list[int]] | None:
    """Receive a line and its descriptors; None when the other side has ended. Each is answered before the next one."""
    block, descriptors, _, _ = socket.recv_fds(control, _MESSAGE, _DESCRIPTORS)
    line = bytearray(block)
    while block and not line.endswith(b"\n"):
        block = control.recv(_MESSAGE)
        line += block
    return (bytes(line), descriptors) if block else None
