"""A process that has imported what its children need, and forks each of them: a start costs next to nothing.

Its environment is scrubbed, it runs no foreign code itself, and it ends with the process that uses it. Both sides are
here: `run` and `start` ask for a child, `serve` makes them.
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
    """A server has ended, or does not start in time."""


class Forked:
    """A child of a server."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status = 0
        self._is_stopped = False
        self._has_ended = threading.Event()

    def note_end(self, status: int) -> None:
        """Note that it has ended, with an exit status, negative for a signal."""
        self._status = status
        self._has_ended.set()

    def wait(self) -> int:
        """Wait for its end, and return the exit status."""
        self._has_ended.wait()
        return self._status

    def end(self, patience: float = 0) -> int:
        """End it with its process group after some seconds for it to end by itself, and return the exit status."""
        self._has_ended.wait(patience)
        if not self._is_stopped:
            self._is_stopped = True
            kill_group(self.pid)
        return self.wait()


class ForkServer:
    """A connection with a process of `serve_forks`; threads may share it.

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
        """The process that forks, if it ends with this one."""
        return self._process.pid if self._process else None

    @property
    def ended(self) -> bool:
        """Return whether nobody is known to be at the other side any more."""
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
        """End its children, and the process unless that stays; calling it twice does nothing."""
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
        raise ServerEnded("the process that starts the plugin's processes has ended.", fix="Run it again.")

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
"""The running servers, by the process that they belong to, which a fork of it is not, and their module."""

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
    """Run a child of a server to its end, as `process.run` runs a program.

    Args:
        module: The module whose ``main()`` calls `serve`; there is one server for each.
    """
    begin = partial(start, module, environment, cwd)
    with conversation(begin, time_limit=time_limit, request=request, isolated=isolated) as finish:
        return finish()


def start(module: str, environment: Mapping[str, str], cwd: Path, stdout: int, stderr: int, channel: int) -> Forked:
    """Start a child of a server, with descriptors for its output, its errors and its conversation."""
    config = {"environment": dict(environment), "cwd": str(cwd), "path": sys.path}
    for _ in range(2):
        with contextlib.suppress(ServerEnded):
            return prepare(module).fork(config, stdout, stderr, channel)
    raise HermesSdkError(f"a process of {module} cannot be started.", fix="Look for what ends it.")


def prepare(module: str) -> ForkServer:
    """Return the server for a module; start one unless it runs, which imports what it needs meanwhile."""
    with _starting:
        found = _servers.get((os.getpid(), module))
        if found is None or found.ended:
            if found is not None:
                found.close()  # It may have been killed, and nobody has waited for it.
            folder = Path("/")
            variables = child_environment(folder, folder, {"TMPDIR": tempfile.gettempdir()})
            found = _servers[os.getpid(), module] = ForkServer.start(python_command(module), variables, folder)
        return found


@atexit.register
def _close_all() -> None:
    for owner, module in tuple(_servers):
        if owner == os.getpid():
            _servers.pop((owner, module)).close()


def serve(function: Callable[[], object], warm_up: Callable[[], object] = lambda: None) -> None:
    """Call a function in a fork for each request, until nobody asks any more.

    Each fork finds itself as a fresh Python would: the arguments end with the number of its channel.

    Args:
        warm_up: Called before the second fork, which most servers never come to, to do what all others need not repeat.
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
        # Python's own end would first free what was imported.
        os._exit(0)
