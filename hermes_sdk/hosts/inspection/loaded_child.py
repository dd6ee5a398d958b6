"""Child process of a `LoadedPlugin`: open a host on one home, and answer requests until it is closed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk import contract
from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly
from hermes_sdk.hosts.in_worker.registration_calls import Inspector
from hermes_sdk.hosts.in_worker.snapshots import snapshot
from hermes_sdk.hosts.inspection.child import open_embedded, open_once
from hermes_sdk.hosts.inspection.plugin_reports import describe_failure, report_plugin
from hermes_sdk.hosts.inspection.surface_conversation import converse
from hermes_sdk.hosts.interface import (
    ALLOW_ALL,
    Host,
    HostExited,
    LogRecord,
    NotSupported,
    SurfaceName,
    Swallowed,
    Unsupported,
)
from hermes_sdk.hosts.interface.names import require_hook
from hermes_sdk.hosts.processes import fork_server, process
from hermes_sdk.hosts.staging import preload
from hermes_sdk.llm import Answer, Request, ScriptedModel, ToolCall, say
from hermes_sdk.manifest import EntryPoint

if TYPE_CHECKING:
    from hermes_sdk.hosts.real.host import RealHost

_Script = Mapping[str, list[dict[str, Any]]]
"""The answers of the lanes ``main`` and ``aux``, each with the fields of `Answer`."""


def main() -> None:
    """Serve `LoadedPlugin`: preload modules, and fork a process for each plugin."""
    preload()
    contract.load(contract.DEFAULT)
    fork_server.serve(lambda: process.serve_session(_run), open_once)


def _run(ask: process.Ask, answer: process.Answer) -> None:
    # The modules of an entry point's plugin are not copied, so no bytecode may be written to their directories.
    sys.dont_write_bytecode = True
    session = _Session(_Relay(ask, answer))
    with LoopbackOnly():
        while request := ask():
            _answer_in_time(session, request, answer)


def _answer_in_time(session: _Session, request: Any, answer: process.Answer) -> None:
    """Answer a request; if it times out, answer with the place that was running, and end the process."""
    first = threading.Lock()

    def give_up() -> None:
        if first.acquire(blocking=False):
            answer({"late": session.locate()})
            os._exit(0)

    watch = threading.Timer(request["time_limit"], give_up)
    watch.daemon = True
    watch.start()
    done = session.handle(request["method"], request["arguments"])
    # After a timeout, this blocks while the other thread ends the process.
    first.acquire()
    watch.cancel()
    answer(done)


class _Session:
    """Handles the requests of the parent process with one open host."""

    def __init__(self, relay: _Relay) -> None:
        self._relay = relay
        self._host: Host | None = None
        self._home = ""
        self._folder = ""

    def handle(self, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Handle a request, and return its result or its error."""
        before = len(self._host.unsupported) if self._host else 0
        try:
            if self._host is None:
                return {"value": self._open(arguments)}
            if arguments.get("relays"):
                arguments = {**{name: one for name, one in arguments.items() if name != "relays"}, "relay": self._relay}
            action = _perform(self._host, method, arguments)
            for one in action["swallowed"]:
                one["traceback"] = self._name_source(one["traceback"])
            for one in action["unsupported"]:
                one["what"] = self._name_source(one["what"])
            return {"value": action}
        except HostExited as error:
            return {"exit": json.loads(json.dumps(error.status, default=repr))}
        except NotSupported as error:
            return {"refused": error.action, "fix": error.fix}
        except HermesSdkError as error:
            reached = [self._name_source(str(one)) for one in self._host.unsupported[before:]] if self._host else []
            kind, fields = type(error).exit_code, (error.message, error.where, error.fix)
            texts = [text.replace(self._home, "$HERMES_HOME") for text in fields]
            return {"error": [kind, *texts], "unsupported": reached}

    def locate(self) -> str:
        """Return the callback that is running, as ``tool calculate at __init__.py:12``, or only the place."""
        if running := self._host.recording.describe_running() if self._host else None:
            return self._name_source(running)
        for frame in sys._current_frames().values():  # pyright: ignore[reportPrivateUsage]
            if place := _find_place(frame, f"{self._home}/plugins/"):
                return self._name_source(place)
        return ""

    def _name_source(self, text: str) -> str:
        """Replace the directory of the plugin's copy in a text by the original directory."""
        return re.sub(rf"{re.escape(self._home)}/(?:plugins|hooks)/[^/\"]+/", lambda _: self._folder, text)

    def _name_source_files(self, *places: Any) -> None:
        """Make the files of places relative to the path that the user passed."""
        for place in filter(None, places):
            place["file"] = place["file"] and f"{self._folder}{place['file']}"

    def _open(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._home, self._folder = request["home"], request["folder"]
        Home(Path(self._home)).update_config(request["config"])
        if request["settings"]:
            entry = {"settings": request["settings"]}
            Home(Path(self._home)).update_config({"plugins": {"entries": {request["key"]: entry}}})
        inspector = Inspector()
        host: Host
        registrations: Sequence[Any]
        if request["kind"] == "embedded":
            variables = {**ALLOW_ALL, **request["variables"]}
            self._host = host = open_embedded(request, inspector, record=True, environment=variables)
            registrations = inspector.registrations(host.home)
        else:
            self._host = host = real = _open_real(request)
            registrations = real.registrations()
        report = report_plugin(host, request["key"])
        failure = describe_failure(host, report)
        callables = [one[key] for one in registrations for key in ("callable", "setup")]
        self._name_source_files(*registrations, *callables, failure and failure["place"])
        return {"report": report, "registrations": registrations, "failure": failure}


def _open_real(request: Mapping[str, Any]) -> RealHost:
    from hermes_sdk.hosts.real.host import RealHost

    return RealHost(
        Home(Path(request["home"])),
        request["release"],
        pythonpath=[Path(entry) for entry in request["pythonpath"]],
        entry_points=[EntryPoint(*pair) for pair in request["entry_points"]],
        environment={**ALLOW_ALL, **request["variables"]},
        record=True,
    )


def _find_place(frame: FrameType | None, plugins: str) -> str:
    """Return the innermost line of the plugin in a stack; empty if there is none."""
    while frame is not None and not frame.f_code.co_filename.startswith(plugins):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def _perform(host: Host, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Perform one action on the host, and return its result with the keys of `loaded_plugin.Action`."""
    swallowed, unsupported, log = (len(one) for one in _collect_observations(host))
    began = time.monotonic_ns()
    value = _ACTIONS[method](host, **arguments)
    spent = time.monotonic_ns() - began
    seen = _collect_observations(host)
    return {
        "value": parse_json(snapshot(value)),
        "milliseconds": round(spent / 1e6, 1),
        "swallowed": [dataclasses.asdict(one) for one in seen.swallowed[swallowed:]],
        "unsupported": [{"what": str(one), "fix": one.fix} for one in seen.unsupported[unsupported:]],
        "log": [f"{one.level} {one.logger}: {one.message}" for one in seen.log[log:]],
        "events": host.events_since(began),
    }


class _Observations(NamedTuple):
    """Observations of a host since it was opened."""

    swallowed: list[Swallowed]
    unsupported: list[Unsupported]
    log: list[LogRecord]


def _collect_observations(host: Host) -> _Observations:
    return _Observations(host.swallowed, host.unsupported, host.log)


def _call_tool(host: Host, name: str, args: dict[str, Any]) -> dict[str, Any]:
    if name not in host.tools:
        names = ", ".join(host.tools) or "none"
        raise UsageError(
            f"call: the plugin has no tool {name!r}{suggest_name(name, host.tools)}", fix=f"It has {names}."
        )
    result = host.call_tool(name, args)
    return {"status": result.status, "text": result.text}


def _fire(host: Host, hook: str, args: dict[str, Any]) -> list[Any]:
    return host.fire(hook, **args)


def _fire_on(host: Host, hook: str, surface: SurfaceName, delegates: bool) -> list[Any]:
    require_hook(hook, host.release, contract.load_closest(host.release), host.hooks)
    if hook not in host.hooks:
        names = ", ".join(host.hooks) or "none"
        raise UsageError(f"fire: the plugin has no callback for the hook {hook}", fix=f"It has: {names}.")
    calls = converse(host, surface, delegates=delegates)
    return [one.returned for one in calls.of(hook)]


def _command(host: Host, line: str) -> str | None:
    return host.command(line)


def _definitions(host: Host) -> list[dict[str, Any]]:
    return host.definitions()


def _cli(host: Host, argv: list[str]) -> dict[str, Any]:
    return dataclasses.asdict(host.cli(*argv))


def _skill(host: Host, name: str) -> Any:
    return host.skill(name)


def _set_up_memory(host: Host, values: dict[str, str]) -> dict[str, Any]:
    return dataclasses.asdict(host.memory.setup(values))


def _memory_fields(host: Host) -> list[dict[str, Any]]:
    return host.memory.fields()


def _receive(host: Host, text: str, script: _Script) -> list[dict[str, Any]]:
    with _play_script(host.llm, script):
        return [dataclasses.asdict(one) for one in host.gateway().dm().receives(text)]


class _Relay:
    """Relay of the model's requests to the parent process."""

    def __init__(self, ask: process.Ask, answer: process.Answer) -> None:
        self._ask = ask
        self._answer = answer
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def serve(self, model: ScriptedModel) -> Generator[None]:
        """Let the parent's model answer all requests within the context."""

        def step(request: Request) -> Answer:
            (model.aux if request.lane == "aux" else model).script(step)
            with self._lock:
                self._answer({"lane": request.lane, "asked": request.body})
                return _make_answer(self._ask())

        for lane in (model, model.aux):
            lane.clear()
            lane.script(step)
        try:
            yield
        finally:
            model.clear()
            model.aux.clear()


def _chat(host: Host, text: str, script: _Script, relay: _Relay | None = None) -> dict[str, Any]:
    with relay.serve(host.llm) if relay else _play_script(host.llm, script):
        turn = host.chat(text)
    calls = [{"id": one.id, "name": one.name, "args": one.args, "result": one.result.text} for one in turn.tool_calls]
    return {
        "reply": turn.reply,
        "completed": turn.completed,
        "interrupted": turn.interrupted,
        "error": turn.error,
        "tool_calls": calls,
    }


@contextlib.contextmanager
def _play_script(model: ScriptedModel, script: _Script) -> Generator[None]:
    """Append answers to the model's script for the context; if the script is empty, the model answers ``ok`` once."""
    model.places = {"main": "script.main", "aux": "script.aux"}
    model.script(*map(_make_answer, script["main"]))
    model.aux.script(*map(_make_answer, script["aux"]))
    is_empty = not model.remaining
    if is_empty:
        model.script(say("ok"))
    yield
    if is_empty:
        model.clear()


def _make_answer(fields: Mapping[str, Any]) -> Answer:
    answer = Answer(**fields)
    return dataclasses.replace(answer, tool_calls=tuple(ToolCall(**one) for one in fields["tool_calls"]))


_ACTIONS: Mapping[str, Callable[..., Any]] = {
    "call_tool": _call_tool,
    "chat": _chat,
    "cli": _cli,
    "command": _command,
    "definitions": _definitions,
    "fire": _fire,
    "fire_on": _fire_on,
    "memory_fields": _memory_fields,
    "receive": _receive,
    "set_up_memory": _set_up_memory,
    "skill": _skill,
}
