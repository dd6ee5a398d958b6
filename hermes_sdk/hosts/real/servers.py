"""Fork servers: one process for each environment, shared by all hosts of this process and stopped when it ends."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from hermes_sdk.cache import cache_dir
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.environments import Environment
from hermes_sdk.hosts.in_worker.forks import kill_group
from hermes_sdk.hosts.interface import HostExited, TimeLimitExceeded
from hermes_sdk.hosts.processes import answers
from hermes_sdk.hosts.processes.process import Drain, child_environment

WORKER = Path(__file__).parent / "worker" / "__main__.py"

_START_LIMIT = 60.0
_PATIENCE = 1.0
_TAIL = 2000

Use = Literal["tools", "agent", "gateway"]
_FIRST: Mapping[Use, Use] = {"agent": "tools", "gateway": "agent"}
"""What a server must be ready for before."""

_HEAVY_METHODS: Mapping[str, Use] = {
    "call_tool": "tools",
    "definitions": "tools",
    "serve": "agent",
    "start_gateway": "gateway",
}


@functools.cache
def server(environment: Environment) -> Server:
    """Return the running server of an environment; start it if there is none."""
    started = Server(environment)
    atexit.register(started.stop)
    return started


class Server:
    """A process of an environment that has the host imported, with an empty home, and forks."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._lock = threading.Lock()
        self._ready_for: set[Use] = set()
        self._folder = Path(tempfile.mkdtemp(prefix="hermes-sdk-server-"))
        variables = child_environment(self._folder, self._folder, host_variables(self._folder / "home", self._folder))
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [environment.python, "-P", WORKER, "serve", str(theirs.fileno())],
                env=variables,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        assert self._process.stderr is not None
        self._errors = Drain(self._process.stderr.fileno())
        self._control.settimeout(_START_LIMIT)
        self._answers = self._control.makefile("rb")
        self._receive()

    @property
    def pid(self) -> int:
        """The process that forks."""
        return self._process.pid

    def fork(self, config: Mapping[str, Any]) -> Connection:
        """Start the process of one host; `config` is what the worker's `child.become` takes."""
        ours, theirs = socket.socketpair()
        read_end, write_end = socket.socketpair()
        with theirs, write_end, read_end:
            message = json.dumps({"fork": dict(config)}).encode() + b"\n"
            with self._lock:
                socket.send_fds(self._control, [message[:1]], [theirs.fileno(), write_end.fileno()])
                self._control.sendall(message[1:])
                pid = int(self._receive()["pid"])
            return Connection(self, pid, ours, Drain(read_end.fileno()))

    def reap(self, pid: int, patience: float) -> int:
        """End a host's process and its process group, and return its exit status, negative for a signal."""
        with self._lock:
            self._control.sendall(json.dumps({"reap": pid, "patience": patience}).encode() + b"\n")
            return int(self._receive()["status"])

    def warm(self, what: Use = "tools") -> None:
        """Prepare the server in the background, so that hosts started later are sooner ready for something."""
        if what in _FIRST:
            self.warm(_FIRST[what])
        with self._lock:
            if what not in self._ready_for:
                self._ready_for.add(what)
                notes = cache_dir() / "scouted" / self.environment.python.parent.parent.name / f"{what}.json"
                self._control.sendall(json.dumps({"warm": what, "notes": str(notes)}).encode() + b"\n")
                self._receive()

    def stop(self) -> None:
        """Stop the server; calling it twice does nothing."""
        self._answers.close()
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        kill_group(self._process.pid)
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _receive(self) -> Any:
        try:
            line = self._answers.readline()
        except TimeoutError:
            line = b""
        if not line:
            self.stop()
            printed = self._errors.text()[-_TAIL:].strip()
            raise UnavailableError(
                f"the real host {self.environment.release} does not start{f': {printed}' if printed else ''}",
                fix=f"Remove {self.environment.python.parent.parent} and rerun the command with network access.",
            )
        return parse_json(line)


class Connection:
    """The process of one host; `pid` is also the id of its process group."""

    def __init__(self, server: Server, pid: int, channel: socket.socket, output: Drain) -> None:
        self.pid = pid
        self._server = server
        self._channel: socket.socket | None = channel
        self._answers = channel.makefile("rb")
        self._output = output
        self._lock = threading.RLock()

    def request(self, method: str, arguments: Mapping[str, Any], *, doing: str, time_limit: float) -> Any:
        """Ask the host for something and return its answer; threads take turns.

        Args:
            method: A public method of the worker's `Session`.
            arguments: Its arguments; they travel as JSON.
            doing: The operation, such as ``tool calculate``, for messages.
            time_limit: Seconds after which the host is killed.

        Raises:
            UsageError: The host rejects the request.
            HostExited: Plugin code ended the host.
            HermesSdkError: The host took too long, was killed, or failed.
        """
        if self._channel is None:
            raise HermesSdkError(f"the host is closed, so it cannot run {doing}", fix="Open a new host.")
        line = _encode(method, arguments, doing, time_limit)
        if method in _HEAVY_METHODS:
            self._server.warm(_HEAVY_METHODS[method])
        try:
            with self._lock:
                return self._exchange(line, doing, time_limit)
        except KeyboardInterrupt:
            self.close()
            raise

    def _exchange(self, line: bytes, doing: str, time_limit: float) -> Any:
        assert self._channel is not None
        # The host itself reports what exceeds the limit, unless plugin code blocks its other threads.
        self._channel.settimeout(time_limit + _PATIENCE)
        answer: dict[str, Any] = {}
        try:
            self._channel.sendall(line)
            while answer.keys() <= {"doing"}:
                # Notes of what is running come before the answer, so that a crash can be attributed.
                doing = answer.get("doing", doing)
                answer = answers.read_line(self._answers.readline(answers.LIMIT + 1))
        except TimeoutError:
            answer = {"late": doing}
        except (ConnectionError, EOFError):
            raise self._make_exit_error(doing) from None
        if "late" in answer:
            raise TimeLimitExceeded(
                str(answer["late"]), f"timed out after {time_limit:g} s, and the host was stopped.{self._end()}"
            )
        if "exit" in answer:
            self.close()
            raise HostExited(doing, answer["exit"])
        if "usage" in answer:
            raise UsageError(str(answer["usage"]))
        if "error" in answer:
            raise HermesSdkError(f"{doing}: the host failed with {answer['error']}\n{answer.get('traceback', '')}")
        if "value" not in answer:
            raise answers.forged("no result")
        return answer["value"]

    def _make_exit_error(self, doing: str) -> HermesSdkError:
        self._disconnect()
        status = self._server.reap(self.pid, _PATIENCE)
        if status >= 0:
            return HostExited(doing, status)
        return HermesSdkError(f"{doing} ended the host with signal {-status}.{self._end()}")

    @property
    def ended(self) -> bool:
        """Whether the process is gone, by itself or by `close`."""
        return self._channel is None

    def close(self) -> None:
        """End the process; calling it twice does nothing."""
        if not self.ended:
            self._disconnect()
            self._server.reap(self.pid, 0)

    def _end(self) -> str:
        """Close, and return the end of the output, for a message."""
        self.close()
        text = self._output.text()[-_TAIL:].strip()
        return f" It had printed:\n{text}" if text else ""

    def _disconnect(self) -> None:
        assert self._channel is not None
        self._answers.close()
        self._channel.close()
        self._channel = None


def host_variables(home: Path, empty: Path) -> dict[str, str]:
    """Return the variables that isolate a host; `empty` stands for bundled plugins and for the managed scope."""
    return {
        "HERMES_HOME": str(home),
        "HERMES_BUNDLED_PLUGINS": str(empty),
        "HERMES_MANAGED_DIR": str(empty),
        # Without it, a host installs packages into its environment while it runs.
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }


def _encode(method: str, arguments: Mapping[str, Any], doing: str, time_limit: float) -> bytes:
    request = {"method": method, "arguments": dict(arguments), "doing": doing, "time_limit": time_limit}
    try:
        return json.dumps(request).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{doing}: an argument cannot be sent to the real host, which runs in another process: {error}",
            fix="Pass only text, numbers, lists and mappings, or run this on the embedded host.",
        ) from None
