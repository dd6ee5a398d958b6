"""`pytest --hermes-record`: keeps the trace of each failed test, redacted, for `hermes-sdk view`."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.hosts.interface import Host, Turn
from hermes_sdk.redaction import Redactor, list_secrets
from hermes_sdk.traces import Event, Trace, write_recording
from hermes_sdk.traces.recording import list_required_variables, make_recording

PROPERTY = "hermes_trace"
"""The user property of a report: the file of the test's trace."""

_NAME = "hermes-record"
_LONGEST_NAME = 120
_CALLS = frozenset({"cli_command", "command", "hook", "middleware", "tool"})


class FailureTraces:
    """The plugin of pytest that is registered with the option."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._recorders: dict[str, _Recorder] = {}

    @contextlib.contextmanager
    def watch(self, name: str, host: Host, content: Mapping[str, Any]) -> Generator[None]:
        """Keep what a host records while the context is open, for the case that the test fails.

        Args:
            host: Its host, which records.
            content: What the marker says, in the form of a scenario.
        """
        host.observe_builtins()
        recorder = self._recorders[name] = _Recorder(name, host, content, self.directory)
        try:
            yield
        finally:
            recorder.finish()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Name the trace of a test with its first failure; it is written when its host has finished."""
        report = yield
        recorder = self._recorders.get(item.nodeid)
        if recorder and report.failed and not recorder.failed:
            recorder.fail()
            told = (PROPERTY, str(recorder.file))
            report.user_properties.append(told)
            # The report of the teardown, which JUnit reads, gets those of the test.
            item.user_properties.append(told)
        if report.when == "teardown":
            self._recorders.pop(item.nodeid, None)
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the command that shows each trace; those of other processes come with their reports."""
        reports = [one for kind in ("failed", "error") for one in terminalreporter.stats.get(kind, ())]
        found = [path for one in reports for name, path in one.user_properties if name == PROPERTY]
        if found:
            terminalreporter.section("Hermes traces of failed tests")
            for path in dict.fromkeys(found):
                shown = path if os.path.relpath(path).startswith("..") else os.path.relpath(path)
                terminalreporter.line(f"hermes-sdk view {shlex.quote(shown)}")


@contextlib.contextmanager
def record_failure(request: pytest.FixtureRequest, host: Host, content: Mapping[str, Any]) -> Generator[None]:
    """Keep the trace of a test if it fails and the option is given; see `FailureTraces.watch`."""
    traces = request.config.pluginmanager.get_plugin(_NAME)
    if traces is None:
        yield
        return
    with traces.watch(request.node.nodeid, host, content):
        yield


def register(config: pytest.Config) -> None:
    """Register the plugin for the option ``--hermes-record``."""
    directory = Path(config.invocation_params.dir, str(config.getoption("--hermes-record")))
    config.pluginmanager.register(FailureTraces(directory), _NAME)


class _Recorder:
    """Recorder of one host for one test."""

    def __init__(self, name: str, host: Host, content: Mapping[str, Any], directory: Path) -> None:
        self.file = directory / _name_file(name)
        self.failed = False
        self._name = name
        self._host = host
        self._content = content
        self._made: Trace | None = None
        _record_turns(host)

    def fail(self) -> None:
        """Note that the test failed."""
        self.failed = True
        if self._made:
            write_recording(self._made, self.file)

    def finish(self) -> None:
        """Take what the host recorded, before it closes."""
        self._made = self._make(self._host)
        if self.failed:
            write_recording(self._made, self.file)

    def _make(self, host: Host) -> Trace:
        events = host.events
        content = {**self._content, **_list_said(events)}
        # A scenario finds its plugins from its own folder.
        here = self.file
        secrets = list_secrets({**os.environ, **content.get("env", {})}, list_required_variables(content, here, events))
        places = dict.fromkeys((str(host.home), os.path.realpath(host.home)), "<home>")
        about = {"host": host.kind, "release": host.release, "scenario": self._name}
        made = make_recording(events, content, places, Redactor(secrets), problems=(), **about)
        return made if _can_replay(events) else replace(made, recording=None)


def _record_turns(host: Host) -> None:
    """Record the turns of a session too, as the player of scenarios does."""
    chat, command = host.chat, host.command

    def record_chat(text: str) -> Turn:
        __tracebackhide__ = True
        turns: list[Turn] = []

        def take(text: str) -> str | None:
            __tracebackhide__ = True
            turns.append(chat(text))
            return turns[-1].reply

        host.recording.call("turn", "chat", take, (text,), {})
        return turns[-1]

    vars(host).update(chat=record_chat, command=host.recording.wrap("turn", "command", command))


def _list_said(events: Sequence[Event]) -> dict[str, Any]:
    """List what the user said, in the form of a scenario."""
    messages = [event["arguments"] for event in events if event["kind"] == "message"]
    if messages:
        return {"mode": "gateway", "messages": messages}
    return {"turns": [event["arguments"]["text"] for event in events if event["kind"] == "turn"]}


def _can_replay(events: Sequence[Event]) -> bool:
    """Return whether a scenario can do what a test did: it cannot call a tool or fire a hook outside of a turn."""
    if any(event["kind"] == "message" for event in events):
        return True
    turns = [event for event in events if event["kind"] == "turn"]
    outside = [
        event
        for event in events
        if event["kind"] in _CALLS
        and not event["name"].startswith("on_session_")
        and not any(turn["t"] <= event["t"] <= turn.get("end", event["t"]) for turn in turns)
    ]
    return bool(turns) and not outside


def _name_file(name: str) -> str:
    """Name the file of a trace after its test; what a file cannot be called is told apart by a digest."""
    plain = re.sub(r"[^\w.]+", "-", name).strip("-")
    if plain == name.replace("::", "-").replace("/", "-") and len(plain) <= _LONGEST_NAME:
        return f"{plain}.trace"
    return f"{plain[:_LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.trace"
