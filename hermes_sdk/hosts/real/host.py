"""`RealHost`: an installed hermes-agent with one home, in its own process."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts import environments
from hermes_sdk.hosts.interface import (
    CliResult,
    Gateway,
    HookCalls,
    Host,
    LogRecord,
    RawTurn,
    Registration,
    Report,
    SurfaceName,
    Swallowed,
    ToolResult,
)
from hermes_sdk.hosts.model_config import write_model
from hermes_sdk.hosts.processes import process
from hermes_sdk.hosts.processes.answers import has_shape, invalid_answer, is_event, require_layers
from hermes_sdk.hosts.real.servers import host_variables, server
from hermes_sdk.manifest import EntryPoint

if TYPE_CHECKING:
    from hermes_sdk.llm import ScriptedModel
    from hermes_sdk.llm.server import Server

TIME_LIMIT = 30.0
"""Seconds after which a request, or the discovery of all plugins, times out."""

_CLI_TIME_LIMIT = 60.0

_LAST_MOMENT = 0.1
"""Seconds that a request gets after the deadline, to report the code that is running."""


_OF_GATEWAY: Mapping[str, Any] = {
    "platforms": list[str],
    "printed_lines": list[str],
    "busy": list[str],
    "sent_messages": list[dict[str, Any]],
}
"""Return types of methods of the gateway."""


class Isolated(NamedTuple):
    """Isolation of a host.

    Attributes:
        seconds: The limit of its CPU time.
        required: The layers that are required to run plugin code.
        readable: Additional paths that it can read; its own directories, programs and packages are always readable.
    """

    seconds: float
    required: Sequence[str] = ()
    readable: Sequence[str] = ()


class RealHost(Host):
    """The real host of one release; see `open_host` for the arguments other than `isolated`.

    It runs in its own process with a scrubbed environment, a temporary HOME and loopback-only sockets, and without
    bundled plugins and the machine's managed scope. Output of plugins is discarded, except in `command`. Arguments and
    results are passed as JSON: results that JSON cannot represent become ``{"__repr__": "<its repr>"}``.

    Attributes:
        isolation: The layers of `processes.isolation` that it has entered; empty unless it is `isolated`.

    Raises:
        UsageError: There is no such release.
        UnavailableError: The environment does not exist and cannot be created, or lacks a required layer.
        HostExited: A plugin ended the process.
        HermesSdkError: A plugin timed out.
    """

    kind = "real"

    def __init__(
        self,
        home: Home,
        release: str,
        *,
        cwd: Path | None = None,
        pythonpath: Sequence[Path] = (),
        entry_points: Sequence[EntryPoint] = (),
        environment: Mapping[str, str] | None = None,
        accept_hooks: bool = False,
        stateless: bool = False,
        record: bool = False,
        isolated: Isolated | None = None,
    ) -> None:
        super().__init__(environment=environment, record=record)
        self.release = release
        self._isolated = isolated
        self.home = home.path
        self._python = environments.environment(release)
        self._cwd = cwd or home.path
        self._path = pythonpath
        self._entry_points = entry_points
        self._options = {"accept_hooks": accept_hooks, "stateless": stateless}
        self._record = record
        self._server: Server | None = None
        self._start()

    def _start(self) -> None:
        self._processes = server(self._python, isolated=self._isolated is not None)
        with contextlib.ExitStack() as stack:
            scratch = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="hermes-sdk-host-", ignore_cleanup_errors=True)
            )
            self._config = _prepare(Path(scratch), self.home, self._cwd, self._environment)
            self._config["record"] = self._record
            isolated = self._isolated
            self._config["isolated"] = isolated and (
                [str(self.home), scratch],
                isolated.seconds,
                isolated.readable,
            )
            declared = _declare_entry_points(Path(scratch), self._entry_points)
            self._config["path"] = [*map(str, self._path), *declared]
            self._connection = self._processes.fork(self._config)
            stack.callback(self._connection.close)
            self.isolation: tuple[str, ...] = ()
            if isolated:
                self.isolation = tuple(self._ask("isolation", "isolation", list[str]))
                require_layers(isolated.required, self.isolation)
            self._ask("start", "plugin discovery", **self._options)
            self._running = stack.pop_all()

    def _ask(self, request: str, doing: str, expected: Any = Any, /, **arguments: Any) -> Any:
        """Send a request to the process and check the type of the answer, which plugin code may have falsified."""
        left = max(self.deadline - time.monotonic(), _LAST_MOMENT)
        answer = self._connection.request(request, arguments, doing=doing, time_limit=min(TIME_LIMIT, left))
        if not has_shape(answer, expected):
            raise invalid_answer(f"not the {doing.removeprefix('the ')}")
        return answer

    def _ask_events(self, request: str, doing: str, /, **arguments: Any) -> list[dict[str, Any]]:
        return _check_events(self._ask(request, doing, list[Any], **arguments))

    def _names(self, kind: str) -> list[str]:
        return list(self._ask("state", "list of names", dict[str, list[str]]).get(kind, ()))

    @property
    def log(self) -> list[LogRecord]:
        """Log records since the start of the host, at level INFO and above; empty once the host has ended."""
        return [LogRecord(**record) for record in self._fetch("log", list[LogRecord])]

    @property
    def swallowed(self) -> list[Swallowed]:
        """The plugins' exceptions that the host swallowed; empty once the host has ended."""
        return [Swallowed(**error) for error in self._fetch("swallowed_errors", list[Swallowed])]

    def events_since(self, t: int) -> list[dict[str, Any]]:
        """Return the events that began at or after a time; see `Host.events_since`."""
        theirs = [] if self._connection.ended else self._ask_events("events_since", "events", t=t)
        return sorted([*self.recording.events_since(t), *theirs], key=lambda event: event["t"])

    def _fetch(self, what: str, expected: Any) -> list[Any]:
        return [] if self._connection.ended else list(self._ask(what, what, expected))

    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool as the model would; see `Host.call_tool`. The first call takes half a second."""
        return ToolResult(self._ask("call_tool", f"tool {name}", name=name, args={**(args or {}), **arguments}))

    def observe_builtins(self, results: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Record the calls of built-in tools, and optionally replay results; see `Host.observe_builtins`."""
        given = None if results is None else list(results)
        self._ask("observe_builtins", "the host's own tools", results=given)

    def builtin_problems(self) -> list[str]:
        """Return the differences between calls of built-in tools and results; see `Host.builtin_problems`."""
        return list(self._fetch("builtin_problems", list[str]))

    def observe_http(self, answers: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Record the HTTP requests of plugins, and optionally answer them; see `Host.observe_http`."""
        self._ask("observe_http", "the HTTP clients", answers=None if answers is None else list(answers))

    def http_problems(self) -> list[str]:
        """Return the differences between HTTP requests of plugins and answers; see `Host.http_problems`."""
        return list(self._fetch("http_problems", list[str]))

    def _serve(self, model: ScriptedModel) -> None:
        from hermes_sdk.llm.server import Server

        if self._server is None:
            self._server = Server(model)
            write_model(self.home, self._server.base_url)
        model.on_interrupt = lambda: os.kill(self._connection.pid, signal.SIGUSR2)
        self._ask("serve", "the model's client")

    def _chat(self, text: str) -> RawTurn:
        return _check_turn(self._ask("chat", "the turn", dict[str, Any], text=text))

    def _keep_events(self) -> None:
        super()._keep_events()
        self._record = True

    def _chat_on(self, surface: SurfaceName, text: str | None) -> str | None:
        if text is None:
            self._ask("end_served", "the end of the session")
            return None
        request = "run_cron_job" if surface == "cron" else "chat_served"
        return cast("str | None", self._ask(request, f"the turn on {surface}", str | None, text=text))

    def _make_gateway(self) -> Gateway:
        from hermes_sdk.hosts.real.gateway import RealGateway

        return RealGateway(self, lambda: self._ask("start_gateway", "the start of the gateway"), self._ask_gateway)

    def _stop_gateway(self) -> None:
        if not self._connection.ended:
            super()._stop_gateway()

    def _ask_gateway(self, method: str, **arguments: Any) -> Any:
        return self._ask("gateway", f"the gateway's {method}", _OF_GATEWAY.get(method, Any), method=method, **arguments)

    def finish(self) -> HookCalls:
        """End the session; see `Host.finish`."""
        if self._connection.ended:
            return HookCalls()
        optional = self._promised.hooks["on_session_finalize"].sometimes
        reason = {"reason": "shutdown"} if "reason" in optional else {}
        return HookCalls.among(self._ask_events("finish", "the end of the session", reason=reason))

    @property
    def _promised(self) -> contract.Contract:
        return contract.load_closest(self.release)

    def definitions(self) -> list[dict[str, Any]]:
        """Return the plugins' tool definitions as the model receives them; see `Host.definitions`."""
        return list(self._ask("definitions", "tool definitions", list[dict[str, Any]]))

    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        return list(self._ask("fire", f"hook {hook}", list[Any], hook=hook, given=arguments))

    def _command(self, line: str) -> str | None:
        return cast("str | None", self._ask("command", f"command {line}", str | None, line=line))

    def cli(self, *argv: str) -> CliResult:
        """Run ``hermes *argv`` in a separate process; see `Host.cli`."""
        begin = partial(self._processes.start_program, {**self._config, "argv": list(argv)})
        with process.conversation(begin, time_limit=_CLI_TIME_LIMIT, request=None, isolated=None) as finish:
            done = finish()
        if done.ended == "time limit":
            raise HermesSdkError(f"hermes {' '.join(argv)}: timed out after {_CLI_TIME_LIMIT:g} s")
        # As in a shell, the exit code for a signal is 128 plus its number.
        return CliResult(done.status + 128 * (done.ended == "signal"), done.stdout, done.stderr)

    def _list_memory_fields(self, provider: str) -> list[dict[str, Any]]:
        doing = "fields of the memory provider"
        return list(self._ask("list_memory_fields", doing, list[dict[str, Any]], provider=provider))

    def _set_up_memory(self, provider: str, values: dict[str, str]) -> CliResult:
        return CliResult(*self._ask("set_up_memory", "hermes memory setup", provider=provider, values=values))

    def skill(self, name: str) -> Any:
        """Return the result of the tool ``skill_view``; see `Host.skill`."""
        return self._ask("skill", f"skill {name}", name=name)

    def rescan(self) -> None:
        """Discover plugins again; see `Host.rescan`."""
        self._ask("rescan", "plugin discovery")

    def report(self, key: str | None = None) -> Report:
        """Return what one plugin registered; see `Host.report`."""
        found = self._ask("report", f"report of {key or 'the plugin'}", dict[str, Any], key=key)
        report = {**found, "host": self.kind, "release": self.release, "grade": contract.grade(self.release)}
        if not has_shape(report, Report):
            raise invalid_answer("not a report")
        return cast("Report", report)

    def registrations(self) -> list[Registration]:
        """Return the plugins' ``ctx.register_*`` calls, in order."""
        return cast("list[Registration]", self._ask("registrations", "list of registrations", list[Registration]))

    def close(self) -> None:
        """End the session, stop the process and remove its temporary directories; a second call does nothing."""
        try:
            self._stop()
        finally:
            if self._server is not None:
                self._server.close()
                self._server = None

    def _stop(self) -> None:
        with self._running:
            self._stop_gateway()
            self.finish()


def _check_events(answer: list[Any]) -> list[dict[str, Any]]:
    if not all(map(is_event, answer)):
        raise invalid_answer("not events")
    return answer


def _check_turn(answer: dict[str, Any]) -> RawTurn:
    # Plugins can change a reply to any value, so most types are not checked.
    shapes = {**dict.fromkeys(RawTurn.__annotations__, Any), "messages": list[dict[str, Any]], "start": int}
    events = answer.get("events")
    if answer.keys() != shapes.keys() or not all(has_shape(answer[name], shapes[name]) for name in shapes):
        raise invalid_answer("not a turn")
    return cast("RawTurn", {**answer, "events": _check_events(events if isinstance(events, list) else [events])})


def _prepare(scratch: Path, home: Path, cwd: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Create the directories that a host needs in addition to its home, and return the config for `child.become`."""
    user, temporary, empty = (scratch / name for name in ("home", "tmp", "empty"))
    for folder in (user, temporary, empty):
        folder.mkdir()
    variables = process.child_environment(user, temporary, {**host_variables(home, empty), **environment})
    return {"home": str(home), "cwd": str(cwd), "environment": variables}


def _declare_entry_points(scratch: Path, entry_points: Sequence[EntryPoint]) -> list[str]:
    """Write metadata that declares entry points as an installed package does, and return the directories to search."""
    if not entry_points:
        return []
    folder = scratch / "entry_points" / "hermes_sdk_given-0.dist-info"
    folder.mkdir(parents=True)
    lines = [f"{entry.name} = {entry.value}" for entry in entry_points]
    text = "\n".join(["[hermes_agent.plugins]", *lines, ""])
    (folder / "entry_points.txt").write_text(text, encoding="utf-8")
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-sdk-given\nVersion: 0\n", encoding="utf-8")
    return [str(folder.parent)]
