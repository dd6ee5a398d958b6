"""Runs of scenarios on a host, which result in traces."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import default_release
from hermes_sdk.hosts.environments import lend
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly
from hermes_sdk.hosts.interface import ALLOW_ALL, Chat, Gateway, Host, HostExited, HostKind, Message, NotSupported, Turn
from hermes_sdk.hosts.model_config import keep_tool_search
from hermes_sdk.hosts.processes import fork_server, process
from hermes_sdk.hosts.processes.answers import invalid_answer
from hermes_sdk.hosts.staging import (
    HostChoice,
    Ran,
    StagedHome,
    preload,
    run_on_host,
    to_clause,
)
from hermes_sdk.journal import scratch_directory
from hermes_sdk.llm import Answer, Request, interrupt
from hermes_sdk.llm.script import Step
from hermes_sdk.manifest import Form, Parsed
from hermes_sdk.redaction import Redactor, list_secrets
from hermes_sdk.traces.boundary import Boundary
from hermes_sdk.traces.reader import parse_trace
from hermes_sdk.traces.recording import list_required_variables, make_recording, name_places
from hermes_sdk.traces.scenario import Scenario, UnknownPlugin, check_paths, name_forms, read_content
from hermes_sdk.traces.trace import Trace

TIME_LIMIT = 60.0
"""Seconds after which a scenario on the embedded host times out; on the real host, each request has its own timeout."""


Observe = Callable[[Host, Sequence[Turn]], None]


def play(
    path: Path,
    *,
    host: HostKind = "embedded",
    release: str | None = None,
    env: Mapping[str, str] | None = None,
    raw: bool = False,
    time_limit: float = TIME_LIMIT,
    record: bool = False,
    redact: Sequence[str] = (),
    http: bool = False,
    allowed: Sequence[Path] = (),
    form: Form | None = None,
    plugin: str = "",
) -> Trace:
    """Play a scenario in a separate process and return its trace, even if the run ends early.

    Like checks, the process enters all layers of `hosts.processes.isolation` that the machine supports.

    Args:
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent. Default: the default release of the host.
        env: Environment variables of the host, in addition to those of the scenario.
        raw: Whether to keep values that differ between runs.
        time_limit: Seconds after which the embedded host is stopped.
        record: Whether to create a recording: without secrets, and with the calls of built-in tools and the scenario
            that replays it.
        redact: Regular expressions of additional texts to redact in a recording.
        http: Whether to also record the HTTP requests of plugins, which get access to the network.
        allowed: Directories outside the scenario's project that its paths may refer to.
        form: The form in which to load plugins that have it. Default: the form in the scenario.
        plugin: The name of the plugin in a project with several, if the scenario does not name it.

    Raises:
        UsageError: The scenario is not valid, refers to paths outside its project, enables a plugin that does not
            exist, no plugin has the form or the name, or the release is not known.
        UnavailableError: The real host of that release cannot be created on this machine.
        HermesSdkError: The process was killed.
    """
    value = read_content(path, Boundary.of(path, allowed, has_network=http), form, plugin)
    if env:
        value["env"] = {**value.get("env", {}), **env}
    Redactor(patterns=redact)
    release = release or default_release(host)
    return _play(value, path, host, release, time_limit, raw=raw, record=record, redact=[*redact], http=http)


def play_on(
    choice: HostChoice,
    path: Path,
    *,
    release: str | None,
    allowed: Sequence[Path] = (),
    form: Form | None = None,
    plugin: str = "",
    **options: Any,
) -> Ran[Trace]:
    """Play a scenario on the chosen host; see `play` for the options.

    Raises:
        HermesSdkError: See `play` and `run_on_host`.
    """
    scenario = Scenario.of(read_content(path, Boundary.of(path, allowed), form, plugin), path)
    options |= {"allowed": allowed, "form": form, "plugin": plugin}
    ran = run_on_host(
        choice,
        release,
        lambda kind, on: play(path, host=kind, release=on, **options),
        lambda trace: [trace.reason] if trace.reason else [],
        [one.locate() for one in scenario.plugins],
    )
    return replace(ran, outcome=replace(ran.outcome, rerun=ran.rerun, reason=ran.reason))


def play_recording(
    recording: Mapping[str, Any],
    path: Path,
    *,
    host: HostKind,
    release: str,
    allowed: Sequence[Path] = (),
    form: Form | None = None,
    plugin: str = "",
) -> Trace:
    """Replay a recording with the current plugins, and record the replay; see `play`.

    Args:
        recording: The value of `Trace.recording`, as `read_recording` returns it.
        host: ``"embedded"`` or ``"real"``.

    Raises:
        UsageError: The recording refers to paths outside its project, or to a plugin that does not exist, or the
            release is not known.
        UnavailableError: The real host of that release cannot be created on this machine.
        HermesSdkError: The process was killed.
    """
    value = check_paths(Parsed(path, recording), Boundary.of(path, allowed), form, plugin)
    return _play(value, path, host, release, TIME_LIMIT, raw=False, record=True, named=True)


def _play(
    value: Mapping[str, Any], path: Path, host: HostKind, release: str, time_limit: float, **options: Any
) -> Trace:
    contract.load(release) if host == "real" else contract.load_modelled(release)
    scenario = Scenario.of(value, path)
    readable, variables = _list_places(scenario), dict[str, str]()
    if host == "real":
        lent, variables = lend(release)
        readable += lent
        time_limit = max(time_limit, _REAL_TIME_LIMIT)
    request = {
        "value": value,
        "path": str(path.absolute()),
        "host": host,
        "release": release,
        "time_limit": time_limit,
        "options": options,
    }
    network = bool(options.get("http"))
    match _in_child(request, path.name, readable, variables, network=network):
        case str(lines):
            with contextlib.suppress(UsageError, RecursionError):
                return replace(parse_trace(lines, ""), forms=name_forms(scenario))
        case {"message": str(message), "where": str(where), "fix": str(fix)}:
            raise UsageError(message, where=where.replace(str(path.absolute()), str(path), 1), fix=fix)
        case _:
            pass
    raise invalid_answer("not a valid trace")


def _list_places(scenario: Scenario) -> list[Path]:
    """List the paths that a run reads: the scenario, and its directories, which `check_paths` has admitted."""
    projects = [one.locate().project for one in scenario.plugins]
    return [scenario.path.absolute(), *projects, *scenario.pythonpath, *scenario.gateway_hooks]


def play_in_process(
    scenario: Scenario, kind: HostKind, release: str, *, raw: bool = False, observe: Observe | None = None
) -> Trace:
    """Play a scenario with the embedded host in this process; see `play`.

    Args:
        observe: Called at the end of the scenario with the open host and the turns of the session.
    """
    return _Run(scenario, kind, release, raw=raw, observe=observe).trace()


class _Run:
    """One run of a scenario.

    With `content`, the value of the scenario, the trace is a recording without secrets and without matches of the
    patterns in `redact`; with `http`, HTTP requests of plugins are sent and recorded. `named` is true if the texts of
    the content contain names for paths, such as ``<home>``.
    """

    def __init__(
        self,
        scenario: Scenario,
        kind: HostKind,
        release: str,
        *,
        raw: bool = False,
        observe: Observe | None = None,
        content: Mapping[str, Any] | None = None,
        redact: Sequence[str] = (),
        http: bool = False,
        named: bool = False,
    ) -> None:
        self._scenario = scenario
        self._kind: HostKind = kind
        self._release = release
        self._raw = raw
        self._observe = observe
        self._content = content
        self._redact = redact
        self._http = http
        self._named = named
        self._turns: list[Turn] = []
        self._host: Host | None = None
        self._problems: list[str] = []
        self._refused: NotSupported | None = None
        self._places: dict[str, str] = {}
        self._keys: set[str] = set()

    def trace(self) -> Trace:
        """Play the scenario until its end or an error."""
        scenario = self._scenario
        with (
            Home.temporary() as home,
            tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as scratch,
        ):
            files, cwd, user = (Path(scratch, name) for name in ("files", "cwd", "user"))
            for folder in (files, cwd, user):
                folder.mkdir()
            self._name(home.path, "<home>")
            self._name(Path(scratch), "<tmp>")
            self._name(scenario.path.absolute().parent, "<scenario>")
            if self._named and self._content is not None:
                real = {name: place for place, name in reversed(self._places.items())}
                scenario = self._scenario = Scenario.of(name_places(self._content, real), scenario.path)
            try:
                with self._stage(home, files).open(
                    cwd=cwd,
                    environment={"HOME": str(user), **(ALLOW_ALL if scenario.messages else {}), **scenario.env},
                    accept_hooks=scenario.accept_hooks,
                    stateless=scenario.stateless,
                    record=True,
                ) as self._host:
                    self._refuse_unknown(self._host)
                    if self._content is not None or scenario.builtin_results is not None:
                        self._host.observe_builtins(scenario.builtin_results)
                    if self._http or scenario.http_answers is not None:
                        self._host.observe_http(None if self._http else scenario.http_answers)
                    (self._write if scenario.messages else self._converse)(self._host)
                    if self._observe is not None:
                        self._observe(self._host, self._turns)
                    return self._recorded_trace()
            except UnknownPlugin:
                raise
            except HermesSdkError as error:
                self._note_end(error)
                return self._recorded_trace()

    def _note_end(self, error: HermesSdkError) -> None:
        """Add the error that ended the run to the problems."""
        self._problems.append(str(error))
        if isinstance(error, NotSupported):
            self._refused = error

    def trace_timeout(self, time_limit: float) -> Trace:
        """Add a timeout to the problems, and return the trace of the events before it."""
        running = self._host.recording.describe_running() if self._host else None
        self._problems.append(f"{running or 'the scenario'} timed out after {time_limit:g} s, and the host was stopped")
        return self._recorded_trace()

    def _recorded_trace(self) -> Trace:
        host = self._host
        # Omit the path of the user's installation.
        release, _ = contract.split_location(self._release)
        about = {"host": self._kind, "release": release, "scenario": self._scenario.path.name}
        problems = [*self._problems, *map(str, host.unsupported if host else ())]
        events = host.events if host else []
        if self._content is not None:
            env = self._scenario.env
            required = list_required_variables(self._content, self._scenario.path, events)
            redactor = Redactor(list_secrets(env, required), self._redact)
            content = {**self._content, **({"http_answers": []} if self._http else {})}
            return make_recording(events, content, self._places, redactor, problems=problems, **about)
        reason = "; ".join(dict.fromkeys(self._list_unsupported())) or None
        trace = Trace.of(events, problems=tuple(problems), reason=reason, **about)
        return trace if self._raw else trace.normalise(self._places)

    def _list_unsupported(self) -> Iterator[str]:
        """Yield the features that the run has used but the embedded host does not model."""
        if self._refused is not None:
            yield to_clause(self._refused.message)
        for one in self._host.unsupported if self._host else ():
            yield f"the embedded host does not {one.what}"

    def _name(self, path: Path, name: str) -> None:
        self._places |= {str(path): name, os.path.realpath(path): name}

    def _stage(self, home: Home, files: Path) -> StagedHome:
        """Write the plugins, hooks, settings and files of the scenario to the home."""
        scenario = self._scenario
        for name, text in scenario.files.items():
            (files / name).write_text(text, encoding="utf-8")
            (files / name).chmod(0o755 if text.startswith("#!") else 0o644)
        staged = StagedHome(home, self._kind, self._release, pythonpath=scenario.pythonpath)
        # The host does not know plugins with unreadable manifests, and reports them itself.
        self._keys.update(staged.add(one.locate()) for one in scenario.plugins)
        for directory in scenario.gateway_hooks:
            staged.add_event_hook(directory)
        for name, text in scenario.data.items():
            (home.path / name).parent.mkdir(parents=True, exist_ok=True)
            (home.path / name).write_text(text, encoding="utf-8")
        if scenario.enable is not None:
            home.update_config({"plugins": {"enabled": list(scenario.enable)}})
        if scenario.toolsets is not None:
            home.update_config({"platform_toolsets": {"cli": list(scenario.toolsets)}})
        if scenario.defaults:
            keep_tool_search(home.path, contract.load(self._release))
        home.update_config(_expand(scenario.config, str(files)))
        return staged

    def _refuse_unknown(self, host: Host) -> None:
        """Raise an error if an enabled plugin does not exist, because the run would silently do nothing."""
        wanted = self._scenario.enable or ()
        found = {*host.plugins, *self._keys}
        if found.issuperset(wanted):
            return
        # The host also accepts names. Bundled plugins, which our hosts do not load, may be in a list of the user.
        bundled = contract.load(self._release).section("bundled_plugins")
        known = {*found, *bundled, *(fact["name"] for fact in bundled.values())}
        known |= {str(host.report(key)["plugin"]["name"]) for key in host.plugins}
        for number, key in enumerate(wanted):
            if key not in known:
                raise UnknownPlugin(self._scenario, number, found)

    def _converse(self, host: Host) -> None:
        self._script(host, *self._scenario.main)
        with self._noting_problems(host):
            for text in self._scenario.turns:
                turn, take = ("command", host.command) if text.startswith("/") else ("chat", self._chat)
                host.recording.call("turn", turn, take, (text,), {})
            host.finish()

    def _write(self, host: Host) -> None:
        """Send the users' messages to the gateway."""
        gateway = host.gateway()
        waiting = iter(self._scenario.messages)

        def write_next(_: Request) -> Answer:
            message = next(waiting, None)
            if message is None:
                raise UsageError("no message is left to interrupt the agent", fix="Add another message to `messages`.")
            _chat(gateway, message).says(message["text"], message_id=message.get("message_id"))
            return interrupt()

        self._script(host, *(write_next if one.interrupts else one for one in self._scenario.main))
        with self._noting_problems(host):
            for message in waiting:
                named = message.get("message_id")
                _chat(gateway, message).receives(message["text"], message_id=named, until=message.get("wait_send"))
            gateway.settle()
            gateway.stop()

    @contextlib.contextmanager
    def _noting_problems(self, host: Host) -> Generator[None]:
        """Add errors that end the run, and unused answers, to the problems."""
        try:
            yield
        except HermesSdkError as error:
            self._note_end(error)
        else:
            self._problems += [*host.llm.unused(), *host.builtin_problems(), *host.http_problems()]

    def _script(self, host: Host, *main: Step) -> None:
        host.llm.places = {"main": "script.main", "aux": "script.aux"}
        host.llm.script(*main)
        host.llm.aux.script(*self._scenario.aux)

    def _chat(self, text: str) -> str | None:
        assert self._host is not None
        self._turns.append(self._host.chat(text))
        return self._turns[-1].reply


def _chat(gateway: Gateway, message: Mapping[str, str]) -> Chat:
    """Return the chat of a message of the scenario."""
    apart = ("text", "message_id", "wait_send")
    return gateway.chat(cast("Message", {key: value for key, value in message.items() if key not in apart}))


def _expand(value: Any, files: str) -> Any:
    """Replace ``{files}`` in all texts by the directory of the scenario's files."""
    if isinstance(value, str):
        return value.replace("{files}", files)
    if isinstance(value, list):
        return [_expand(item, files) for item in value]
    if isinstance(value, dict):
        return {key: _expand(item, files) for key, item in value.items()}
    return value


_GRACE = 5.0
_REAL_TIME_LIMIT = 600.0
_TAIL = 2000


def _in_child(
    request: Mapping[str, Any], name: str, readable: Sequence[Path], variables: Mapping[str, str], *, network: bool
) -> Any:
    with scratch_directory() as scratch:
        finished = fork_server.run(
            "hermes_sdk.traces.player",
            request,
            environment=process.child_environment(scratch, scratch, variables),
            cwd=scratch,
            time_limit=request["time_limit"] + _GRACE,
            isolated=process.Isolated(
                [str(scratch)], request["time_limit"], readable=[*map(str, readable)], network=network
            ),
        )
    if finished.ended == "answered":
        return finished.value
    printed = _redact_printed(finished.stderr, request)[-_TAIL:].strip()
    if finished.ended == "exited":
        raise HostExited(f"the scenario {name}", finished.status, printed)
    is_late = finished.ended == "time limit"
    how = "timed out, and its host was stopped" if is_late else f"was killed with its host by signal {finished.status}"
    raise HermesSdkError(f"the scenario {name} {how}" + (f":\n{printed}" if printed else "."))


def _redact_printed(text: str, request: Mapping[str, Any]) -> str:
    """Redact the output of a child that ended without a recording."""
    content, options = request["value"], request["options"]
    if not options["record"]:
        return text
    required = list_required_variables(content, Path(request["path"]), ())
    redactor = Redactor(list_secrets(content.get("env", {}), required), options.get("redact", ()))
    redactor.learn(content, text)
    return redactor.text(text)


def main() -> None:
    """Serve `play`: answer each request in a fork of this process."""
    preload()
    fork_server.serve(_answer_one)


def _answer_one() -> None:
    """Answer one request, and exit without waiting for threads and exit handlers of plugins."""
    playing: list[_Run] = []

    def answer(request: Any) -> str | dict[str, str]:
        scenario = Scenario.of(request["value"], Path(request["path"]))
        options = request["options"]
        content = request["value"] if options.pop("record") else None
        playing.append(_Run(scenario, request["host"], request["release"], content=content, **options))
        sys.dont_write_bytecode = True
        with contextlib.nullcontext() if options.get("http") else LoopbackOnly():
            try:
                return "\n".join(playing[0].trace().lines())
            except UnknownPlugin as error:
                return {"message": error.message, "where": error.where, "fix": error.fix}

    process.serve(answer, late=lambda request: "\n".join(playing[0].trace_timeout(request["time_limit"]).lines()))
    os._exit(0)
