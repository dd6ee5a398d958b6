"""Fork servers: processes that import modules once and fork a child for each request, so that children start quickly.

A server has a scrubbed environment, does not run untrusted code itself, and ends with the process that uses it. This
module has both sides: `run` and `start` request a child, and `serve` forks it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.processes.forks import enter_environment, kill_group, serve_forks, take_streams
from hermes_sdk.hosts.processes.process import (
    Finished,
    Isolated,
    child_environment,
    conversation,
    python_command,
    start_connected,
)

_START_LIMIT = 60.0


class ServerEnded(HermesSdkError):
    """Raised if a server has ended, or did not start in time."""


class Forked:
    """A child of a server."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status = 0
        self._is_stopped = False
        self._has_ended = threading.Event()

    def note_end(self, status: int) -> None:
        """Store the exit status of the child, negative for a signal, and wake up the threads that wait for it."""
        self._status = status
        self._has_ended.set()

    def wait(self) -> int:
        """Wait until the child ends, and return its exit status."""
        self._has_ended.wait()
        return self._status

    def end(self, patience: float = 0) -> int:
        """Wait `patience` seconds for the child to exit, kill its process group, and return the exit status."""
        self._has_ended.wait(patience)
        if not self._is_stopped:
            self._is_stopped = True
            kill_group(self.pid)
        return self.wait()


class ForkServer:
    """A thread-safe connection to a process that runs `serve_forks`.

    Args:
        control: The connection.
        process: The process, if it ends with this one.
    """

    def __init__(self, control: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        self._control = control
        self._process = process
        self._lock = threading.Lock()
        self._children: dict[int, Forked] = {}
        self._answers = queue.SimpleQueue[Forked | bool]()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def start(
        cls, command: Sequence[str], environment: Mapping[str, str], cwd: Path, stderr: int | None = None
    ) -> ForkServer:
        """Start a process, which ends with this one; see `start_connected`."""
        process, control = start_connected(command, environment, cwd, stderr)
        return cls(control, process)

    @property
    def pid(self) -> int | None:
        """The process ID of the server, if the server ends with this process."""
        return self._process.pid if self._process else None

    @property
    def ended(self) -> bool:
        """Return whether the connection is known to be closed."""
        return not self._reader.is_alive()

    def fork(self, config: Mapping[str, Any], *descriptors: int) -> Forked:
        """Start a child.

        Raises:
            ServerEnded: The server has ended.
        """
        child = self._ask({"fork": dict(config)}, descriptors)
        assert isinstance(child, Forked)
        return child

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send a message to the server, and wait until it has received it.

        Raises:
            ServerEnded: The server has ended.
        """
        self._ask(message)

    def close(self) -> None:
        """End the children, and the server if it belongs to this process; a second call does nothing."""
        if self._control.fileno() < 0:
            return
        for child in tuple(self._children.values()):
            kill_group(child.pid)
        if self._process:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._control.close()

    def _ask(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> Forked | bool:
        line = json.dumps(message).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError, queue.Empty):
            sent = socket.send_fds(self._control, [line], descriptors)
            self._control.sendall(line[sent:])
            if answer := self._answers.get(timeout=_START_LIMIT):
                return answer
        self.close()
        raise ServerEnded("the process that starts the plugin's processes has ended.", fix="Run the command again.")

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._control.makefile("rb") as lines:
            for line in lines:
                match json.loads(line):
                    case {"ended": pid, "status": status}:
                        self._children.pop(pid).note_end(status)
                    case {"pid": pid}:
                        child = self._children[pid] = Forked(pid)
                        self._answers.put(child)
                    case _:
                        self._answers.put(True)
        self._answers.put(False)
        for child in tuple(self._children.values()):
            child.note_end(-signal.SIGKILL)


_servers: dict[tuple[int, str], ForkServer] = {}
"""The running servers, by the ID of their parent process and their module; forks of the parent must not use them."""

_starting = threading.Lock()


def run(
    module: str,
    request: Any,
    *,
    environment: Mapping[str, str],
    cwd: Path,
    time_limit: float,
    isolated: Isolated | None = None,
) -> Finished:
    """Run a child of a server until it ends, as `process.run` runs a program.

    Args:
        module: The module whose ``main()`` calls `serve`; each module has its own server.
    """
    begin = partial(start, module, environment, cwd)
    with conversation(begin, time_limit=time_limit, request=request, isolated=isolated) as finish:
        return finish()


def start(module: str, environment: Mapping[str, str], cwd: Path, stdout: int, stderr: int, channel: int) -> Forked:
    """Start a child of a server, with file descriptors for standard output, standard error, and requests."""
    config = {"environment": dict(environment), "cwd": str(cwd), "path": sys.path}
    for _ in range(2):
        with contextlib.suppress(ServerEnded):
            return prepare(module).fork(config, stdout, stderr, channel)
    raise HermesSdkError(f"the process for {module} ended during startup.", fix="Run the command again.")


def prepare(module: str) -> ForkServer:
    """Return the server for a module; start it if necessary, without waiting for its imports."""
    with _starting:
        server = _servers.get((os.getpid(), module))
        if server is None or server.ended:
            if server is not None:
                server.close()  # The server may have been killed, so reap its process.
            folder = Path("/")
            variables = child_environment(folder, folder, {"TMPDIR": tempfile.gettempdir()})
            server = _servers[os.getpid(), module] = ForkServer.start(python_command(module), variables, folder)
        return server


@atexit.register
def _close_all() -> None:
    for owner, module in tuple(_servers):
        if owner == os.getpid():
            _servers.pop((owner, module)).close()


def serve(function: Callable[[], object], warm_up: Callable[[], object] = lambda: None) -> None:
    """Call a function in a fork for each request, until the connection is closed.

    Each fork looks like a new Python process: its arguments end with the number of its channel's file descriptor.

    Args:
        function: The function to call.
        warm_up: Called before the second fork, to do work that later forks share; most servers fork only once.
    """
    forks = 0

    def begin(config: Mapping[str, Any], stdout: int, stderr: int, channel: int) -> None:
        take_streams(stdout, stderr, channel)
        sys.path[:] = config["path"]
        sys.argv.append(str(channel))
        enter_environment(config["environment"], config["cwd"])
        function()

    def get_ready(_: object) -> None:
        nonlocal forks
        forks += 1
        if forks == 2:
            warm_up()
        if forks <= 2:
            gc.freeze()

    with socket.socket(fileno=int(sys.argv.pop())) as control:
        control.set_inheritable(False)
        serve_forks(control, begin, get_ready)
        # A normal exit would first free all imported modules.
        os._exit(0)
