"""A process that has a module imported and forks children that stay and answer one request after the other.

`ChildServer` and `Child` belong to the process that asks; `serve` runs in the server.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.in_worker.forks import kill_group, reap
from hermes_sdk.hosts.processes import answers, fork_control
from hermes_sdk.hosts.processes.fork import become_child, call_and_exit
from hermes_sdk.hosts.processes.process import Drain, Isolated

Ask = Callable[[], Any]
Answer = Callable[[Any], None]

_START_LIMIT = 60.0
_PATIENCE = 1.0
_TAIL = 2000


class ChildEnded(HermesSdkError):
    """A child ended, or was stopped, without an answer.

    Args:
        status: Its exit status, negative for a signal; None when it was stopped after the time limit.
        printed: The end of what it had printed.
    """

    def __init__(self, status: int | None, printed: str) -> None:
        super().__init__(f"the process that runs the plugin ended with status {status}.")
        self.status = status
        self.printed = printed


class ChildServer:
    """A process of `serve`; threads may share it.

    Args:
        module: The module whose ``main`` calls `serve`.
    """

    def __init__(self, module: str) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._scratch = tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True)
        self._process, self._control = fork_control.start(module, Path(self._scratch.name))
        self._control.settimeout(_START_LIMIT)
        self._answers = self._control.makefile("rb")

    def fork(self, *, environment: Mapping[str, str], cwd: Path, isolated: Isolated) -> Child:
        """Start a child, which enters its isolation and waits for the first request."""
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        message = {"environment": dict(environment), "cwd": str(cwd), "isolated": isolated}
        try:
            with theirs:
                number = self._request(message, [theirs.fileno(), writing])
            return Child(self, number, ours, Drain(reading), isolated)
        finally:
            os.close(reading)
            os.close(writing)

    def reap(self, pid: int, patience: float) -> int:
        """End a child with its process group, and return its exit status, negative for a signal."""
        if self._closed:
            return -signal.SIGKILL
        return self._request({"reap": pid, "patience": patience})

    def close(self) -> None:
        """End the server and every child; calling it twice does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._answers.close()
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        if self._process.poll() is None:
            kill_group(self._process.pid)
            self._process.wait()
        self._scratch.cleanup()

    def _request(self, message: Mapping[str, Any], files: list[int] | None = None) -> int:
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            socket.send_fds(self._control, [line[:1]], files or [])
            self._control.sendall(line[1:])
            answer = self._answers.readline()
        if not answer:
            raise HermesSdkError("the process that starts the plugin's processes has ended.", fix="Run it again.")
        return int(answer)


class Child:
    """One child. `layers` names the layers of `isolation` that it has entered, once it was asked something."""

    def __init__(
        self, server: ChildServer, pid: int, channel: socket.socket, output: Drain, isolated: Isolated
    ) -> None:
        self.layers: tuple[str, ...] = ()
        self._server = server
        self._pid = pid
        self._channel: socket.socket | None = channel
        self._answers = channel.makefile("rb")
        self._output = output
        self._required = isolated.required
        self._lock = threading.RLock()
        self._ending = threading.Lock()
        self._status: int | None = None

    def ask(self, request: Mapping[str, Any], time_limit: float) -> dict[str, Any]:
        """Send a request and return the answer, which nobody has checked; threads take turns.

        Raises:
            ChildEnded: There was none within the time limit, or the child ended; it cannot be asked again.
            UnavailableError: A required layer of the isolation is missing.
            HermesSdkError: Something else was sent.
        """
        with self._lock:
            if self._channel is None:
                raise HermesSdkError("the process that ran the plugin has ended.", fix="Load the plugin again.")
            try:
                return self._exchange(self._channel, request, time_limit)
            except TimeoutError:
                raise self._end(None) from None
            except (ConnectionError, EOFError):
                raise self._end(self._stop(_PATIENCE)) from None
            except BaseException:
                self.close()
                raise

    @property
    def ended(self) -> bool:
        """Whether the child is known to have ended."""
        return self._channel is None

    def close(self) -> None:
        """End the child; calling it twice does nothing."""
        self._stop(0)

    def _exchange(self, channel: socket.socket, request: Mapping[str, Any], time_limit: float) -> dict[str, Any]:
        # The child itself reports what exceeds the limit, unless the plugin blocks its other threads.
        channel.settimeout(time_limit + _PATIENCE)
        channel.sendall(json.dumps(request).encode() + b"\n")
        if not self.layers:
            line = self._answers.readline(answers.LIMIT + 1)
            if not line.endswith(b"\n"):
                raise EOFError
            self.layers, _ = answers.read(line, isolated=True, required=self._required)
        return answers.read_line(self._answers.readline(answers.LIMIT + 1))

    def _end(self, status: int | None) -> ChildEnded:
        self.close()
        return ChildEnded(status, self._output.text()[-_TAIL:].strip())

    def _stop(self, patience: float) -> int:
        """End the child, and return its exit status, negative for a signal."""
        with self._ending:
            if self._status is None:
                self._status = self._server.reap(self._pid, patience)
        # A thread that waits for an answer has read the end of the channel by now.
        with self._lock:
            if self._channel is not None:
                self._answers.close()
                self._channel.close()
                self._channel = None
        return self._status


def serve(session: Callable[[Ask, Answer], None]) -> NoReturn:
    """Fork a child for each message on the descriptor that the arguments name, until the other side closes it.

    Args:
        session: Called in each child with a function that waits for a request, None at the end, and one that answers.
    """
    control = socket.socket(fileno=int(sys.argv.pop()))
    children: set[int] = set()
    try:
        while message := fork_control.receive(control):
            request, files = json.loads(message[0]), message[1]
            if "reap" in request:
                pid = request["reap"]
                children.discard(pid)
                control.sendall(b"%d\n" % reap(pid, request["patience"]))
                continue
            pid = os.fork()
            if not pid:
                _be_child(session, request, files)
            children.add(pid)
            for number in files:
                os.close(number)
            control.sendall(b"%d\n" % pid)
    finally:
        for pid in children:
            reap(pid, 0)
        os._exit(0)


def _be_child(session: Callable[[Ask, Answer], None], request: dict[str, Any], files: list[int]) -> NoReturn:
    def converse() -> None:
        channel = socket.socket(fileno=files[0])
        isolated = Isolated(*request["isolated"])
        if become_child(channel, files[1], request["environment"], Path(request["cwd"]), isolated):
            lines = channel.makefile("rb")

            def ask() -> Any:
                line = lines.readline()
                return json.loads(line) if line else None

            session(ask, lambda value: channel.sendall(json.dumps(value).encode() + b"\n"))

    call_and_exit(converse)
