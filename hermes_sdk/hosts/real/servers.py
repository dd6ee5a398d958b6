"""Fork servers, one per environment, which all hosts of this process share and which may outlive it."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from hermes_sdk.cache import cache_dir
from hermes_sdk.contract import format_release, split_location
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.environments import Environment
from hermes_sdk.hosts.interface import HostExited, TimeLimitExceeded
from hermes_sdk.hosts.processes import answers
from hermes_sdk.hosts.processes.child import Child, ChildEnded
from hermes_sdk.hosts.processes.fork_server import Forked, ForkServer, ServerEnded
from hermes_sdk.hosts.processes.process import Drain, child_environment
from hermes_sdk.hosts.real import warm

WORKER = Path(__file__).parent / "worker" / "__main__.py"

_TAIL = 2000

T = TypeVar("T")

Use = Literal["tools", "agent", "gateway", "cli"]
_FIRST: Mapping[Use, Use] = {"agent": "tools", "gateway": "agent"}
"""Use -> its prerequisite, for which a server is prepared first."""

_HEAVY_METHODS: Mapping[str, Use] = {
    "call_tool": "tools",
    "definitions": "tools",
    "serve": "agent",
    "start_gateway": "gateway",
}


_servers: dict[tuple[Environment, bool], Server] = {}


def server(environment: Environment, *, isolated: bool = False, may_stay: bool = False) -> Server:
    """Return the running server of an environment; start it if necessary.

    Args:
        isolated: Whether to use the server for isolated hosts, which other hosts do not share.
        may_stay: Whether to use a server that keeps running between runs, if `warm.is_allowed`.
    """
    found = _servers.get((environment, isolated))
    if found is None:
        may_stay = may_stay and not isolated and warm.is_allowed(os.environ, os.geteuid())
        found = _servers[environment, isolated] = Server(environment, warm.find_folder() if may_stay else None)
        atexit.register(found.stop)
    return found


class Server:
    """A fork server that has imported the host of an environment, with an empty home.

    Args:
        shared: The directory for servers that keep running; None for a server that ends with this process.
    """

    def __init__(self, environment: Environment, shared: Path | None = None) -> None:
        self.environment = environment
        self._lock = threading.Lock()
        self._ready_for: set[Use] = set()
        self._folder: Path | None = None
        self._errors: Drain | None = None
        self._server = (shared and self._connect(shared)) or self._start()

    def _connect(self, shared: Path) -> ForkServer | None:
        with contextlib.suppress(OSError, ServerEnded):
            found = warm.connect(self.environment, self._command, _make_variables, shared)
            # The server answers once it has imported the host.
            found.tell({})
            return found
        return None

    def _start(self) -> ForkServer:
        self._folder = Path(tempfile.mkdtemp(prefix="hermes-sdk-server-"))
        reading, writing = os.pipe()
        try:
            self._server = ForkServer.start(self._command, _make_variables(self._folder), self._folder, writing)
            self._errors = Drain(reading)
        finally:
            os.close(reading)
            os.close(writing)
        self._ask(lambda: self._server.tell({}))
        return self._server

    @property
    def _command(self) -> list[str]:
        return [str(self.environment.python), "-P", str(WORKER), "serve"]

    @property
    def pid(self) -> int | None:
        """The process ID of the server, if the server ends with this process."""
        return self._server.pid

    def fork(self, config: Mapping[str, Any]) -> Connection:
        """Start the process of one host; see the worker's `child.become` for `config`."""
        return self._ask(lambda: Connection(self, Child(partial(self._server.fork, config))))

    def start_program(self, config: Mapping[str, Any], stdout: int, stderr: int, channel: int) -> Forked:
        """Start ``hermes`` with the arguments ``argv`` of `config`; see `process.conversation`."""
        self.warm("cli")
        return self._ask(lambda: self._server.fork(config, stdout, stderr, channel))

    def warm(self, what: Use = "tools") -> None:
        """Prepare the server for a use, in the background, so that later hosts are ready sooner."""
        if what in _FIRST:
            self.warm(_FIRST[what])
        with self._lock:
            if what not in self._ready_for:
                self._ready_for.add(what)
                notes = cache_dir() / "scouted" / self.environment.python.parent.parent.name / f"{what}.json"
                self._ask(lambda: self._server.tell({"warm": what, "notes": str(notes)}))

    def stop(self) -> None:
        """Stop the server, unless it keeps running between runs; a second call does nothing."""
        self._server.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except ServerEnded:
            self.stop()
            printed = self._errors.text()[-_TAIL:].strip() if self._errors else ""
            release = self.environment.release
            again = f"Remove {self.environment.python.parent.parent} and rerun the command with network access."
            raise UnavailableError(
                f"the real host {format_release(release, 'real')} does not start{f': {printed}' if printed else ''}",
                fix="Name another Hermes with --release." if split_location(release)[1] else again,
            ) from None


class Connection:
    """Connection to a host process."""

    def __init__(self, server: Server, child: Child) -> None:
        self._server = server
        self._child = child

    @property
    def pid(self) -> int:
        """The process ID, which is also the ID of its process group."""
        return self._child.pid

    def request(self, method: str, arguments: Mapping[str, Any], *, doing: str, time_limit: float) -> Any:
        """Send a request to the host, and return its answer. This is thread-safe.

        Args:
            method: A public method of the worker's `Session`.
            arguments: Its arguments, which are passed as JSON.
            doing: The operation, such as ``tool calculate``, for messages.
            time_limit: Seconds after which the host is killed.

        Raises:
            UsageError: The host rejects the request.
            HostExited: Plugin code ended the host.
            HermesSdkError: The host timed out, was killed, or failed.
        """
        if self.ended:
            raise HermesSdkError(f"the host is closed, so it cannot run {doing}", fix="Open a new host.")
        request = _encode(method, arguments, doing, time_limit)
        if method in _HEAVY_METHODS:
            self._server.warm(_HEAVY_METHODS[method])

        def is_note(answer: Mapping[str, Any]) -> bool:
            # Notes about the running operation precede the answer, so that a crash can be attributed to it.
            nonlocal doing
            doing = answer.get("doing", doing)
            return answer.keys() <= {"doing"}

        try:
            answer = self._child.ask(request, time_limit, is_note)
        except ChildEnded as ended:
            if ended.status is None:
                answer = {"late": doing}
            elif ended.status >= 0:
                raise HostExited(doing, ended.status) from None
            else:
                raise HermesSdkError(f"{doing} ended the host with signal {-ended.status}.{self._end()}") from None
        return self._read_answer(answer, doing, time_limit)

    def _read_answer(self, answer: Mapping[str, Any], doing: str, time_limit: float) -> Any:
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
            raise answers.invalid_answer("no result")
        return answer["value"]

    @property
    def ended(self) -> bool:
        """Return whether the process has ended."""
        return self._child.ended

    def close(self) -> None:
        """End the process; a second call does nothing."""
        self._child.close()

    def _end(self) -> str:
        """Close the connection, and return the end of the output for a message."""
        self.close()
        printed = self._child.printed
        return f" It had printed:\n{printed}" if printed else ""


def _make_variables(folder: Path) -> dict[str, str]:
    """Return the environment variables of a server in a directory."""
    return child_environment(folder, folder, host_variables(folder / "home", folder))


def host_variables(home: Path, empty: Path) -> dict[str, str]:
    """Return the variables that isolate a host; `empty` replaces the bundled plugins and the managed scope."""
    return {
        "HERMES_HOME": str(home),
        "HERMES_BUNDLED_PLUGINS": str(empty),
        "HERMES_MANAGED_DIR": str(empty),
        # Otherwise, a host installs packages into its environment while it runs.
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }


def _encode(method: str, arguments: Mapping[str, Any], doing: str, time_limit: float) -> bytes:
    request = {"method": method, "arguments": dict(arguments), "doing": doing, "time_limit": time_limit}
    try:
        return json.dumps(request).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{doing}: an argument cannot be sent to the real host, which runs in another process: {error}",
            fix="Pass only text, numbers, lists and mappings, or run this on the embedded host.",
        ) from None
