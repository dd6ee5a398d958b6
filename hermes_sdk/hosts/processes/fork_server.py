"""A process that has imported what its children need, and forks each of them: a start costs next to nothing.

Its environment is scrubbed, it runs no foreign code itself, and it ends with the process that uses it. Both sides are
here: `run` asks for a child, `serve` makes them.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.in_worker.forks import enter_environment
from hermes_sdk.hosts.processes import fork_control
from hermes_sdk.hosts.processes.fork import call_and_exit, take_streams
from hermes_sdk.hosts.processes.isolation.kernel import end_with_parent
from hermes_sdk.hosts.processes.process import Finished, Isolated, conversation

_idle: dict[tuple[int, str], list[_Server]] = {}
"""The servers that wait, by the process that they belong to, which a fork of it is not, and their module."""


def run(
    module: str,
    request: Any,
    *,
    environment: Mapping[str, str],
    cwd: Path,
    time_limit: float,
    isolated: Isolated | None = None,
) -> Finished:
    """Run a child of a server to its end, as `process.run` runs a program.

    Args:
        module: The module whose ``main()`` calls `serve`; there is one server for each.
    """
    message = json.dumps([dict(environment), str(cwd), sys.path]).encode() + b"\n"
    start = partial(_start, module, message)
    with conversation(start, time_limit=time_limit, request=request, isolated=isolated) as finish:
        return finish()


def prepare(module: str) -> None:
    """Start a server for a module, unless one waits, so that it imports what it needs while this process goes on."""
    idle = _idle.setdefault((os.getpid(), module), [])
    if not idle:
        idle.append(_Server(module))


def _start(module: str, message: bytes, *descriptors: int) -> _Forked:
    """Start a child with a server that is free, or with a new one."""
    idle = _idle.setdefault((os.getpid(), module), [])
    while True:
        is_new = not idle
        server = _Server(module) if is_new else idle.pop()
        pid = server.ask(message, descriptors)
        if pid is not None:
            return _Forked(pid, server, idle)
        server.close()
        if is_new:
            raise HermesSdkError(f"a process of {module} cannot be started.", fix="Look for what ends it.")


@atexit.register
def _close_idle() -> None:
    for (owner, _), idle in _idle.items():
        while owner == os.getpid() and idle:
            idle.pop().close()


class _Forked:
    """A child of a server, which is idle again when the child has ended."""

    def __init__(self, pid: int, server: _Server, idle: list[_Server]) -> None:
        self.pid = pid
        self._server = server
        self._idle = idle
        self._status: int | None = None
        self._lock = threading.Lock()

    def wait(self) -> int:
        with self._lock:
            if self._status is None:
                status = self._server.read()
                self._status = -signal.SIGKILL if status is None else status
                self._idle.append(self._server)
            return self._status


class _Server:
    """The connection with one server; it ends when this process does."""

    def __init__(self, module: str) -> None:
        self._process, self._channel = fork_control.start(module, Path("/"), {"TMPDIR": tempfile.gettempdir()})
        self._answers = self._channel.makefile("rb")

    def ask(self, message: bytes, descriptors: Sequence[int]) -> int | None:
        """Return the number of the child that was started; None when the server has ended."""
        with contextlib.suppress(OSError):
            sent = socket.send_fds(self._channel, [message], descriptors)
            self._channel.sendall(message[sent:])
            return self.read()
        return None

    def read(self) -> int | None:
        """Return the next number that the server tells; None when it has ended."""
        with contextlib.suppress(OSError):
            line = self._answers.readline()
            return int(line) if line else None
        return None

    def close(self) -> None:
        self._answers.close()
        self._channel.close()
        self._process.kill()
        self._process.wait()


def serve(function: Callable[[], object], warm_up: Callable[[], object] = lambda: None) -> None:
    """Call a function in one fork after the other, until nobody asks any more.

    Each fork finds itself as a fresh Python would: the arguments end with the number of its channel.

    Args:
        warm_up: Called before the second fork, which most servers never come to, to do what all others need not repeat.
    """
    with socket.socket(fileno=int(sys.argv.pop())) as control:
        control.set_inheritable(False)
        end_with_parent(signal.SIGKILL, control)
        for count, (line, descriptors) in enumerate(iter(partial(fork_control.receive, control), None)):
            if count == 1:
                warm_up()
            if count < 2:
                gc.freeze()
            pid = os.fork()
            if not pid:
                _be_child(function, control, line, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            _, status = os.waitpid(pid, 0)
            control.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _be_child(function: Callable[[], object], control: socket.socket, line: bytes, descriptors: list[int]) -> NoReturn:
    def begin() -> None:
        os.setsid()
        # Told only now, when it leads a group that can be ended.
        control.sendall(b"%d\n" % os.getpid())
        control.close()
        environment, cwd, path = json.loads(line)
        stdout, stderr, channel = descriptors
        take_streams(stdout, stderr, channel)
        sys.path[:] = path
        sys.argv.append(str(channel))
        enter_environment(environment, cwd)
        function()

    call_and_exit(begin, failed=1)
