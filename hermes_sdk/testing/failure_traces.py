"""`pytest --hermes-record`: saves a redacted trace of each failed test for `hermes-sdk view`."""

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
"""User property of a report: the trace file of the test."""

_NAME = "hermes-record"
_LONGEST_NAME = 120
_CALLS = frozenset({"cli_command", "command", "hook", "middleware", "tool"})


class FailureTraces:
    """Pytest plugin that the option registers."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._recorders: dict[str, _Recorder] = {}

    @contextlib.contextmanager
    def watch(self, name: str, host: Host, content: Mapping[str, Any]) -> Generator[None]:
        """Save the events of a host as a trace if the test fails.

        Args:
            name: The node ID of the test.
            host: The host of the test, which records.
            content: The plugins and the options of the marker, in the form of a scenario.
        """
        host.observe_builtins()
        recorder = self._recorders[name] = _Recorder(name, host, content, self.directory)
        try:
            yield
        finally:
            recorder.finish()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report the trace file with the first failure of a test; it is written after the host has finished."""
        report = yield
        recorder = self._recorders.get(item.nodeid)
        if recorder and report.failed and not recorder.failed:
            recorder.fail()
            trace = (PROPERTY, str(recorder.file))
            report.user_properties.append(trace)
            # The JUnit file contains the properties of the teardown's report, which copies them from the item.
            item.user_properties.append(trace)
        if report.when == "teardown":
            self._recorders.pop(item.nodeid, None)
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the command that shows each trace, including traces of other processes, from their reports."""
        reports = [one for kind in ("failed", "error") for one in terminalreporter.stats.get(kind, ())]
        found = [path for one in reports for name, path in one.user_properties if name == PROPERTY]
        if found:
            terminalreporter.section("Hermes traces of failed tests")
            for path in dict.fromkeys(found):
                shown = path if os.path.relpath(path).startswith("..") else os.path.relpath(path)
                terminalreporter.line(f"hermes-sdk view {shlex.quote(shown)}")


@contextlib.contextmanager
def record_failure(request: pytest.FixtureRequest, host: Host, content: Mapping[str, Any]) -> Generator[None]:
    """Save the trace of a test if it fails and the option is given; see `FailureTraces.watch`."""
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
        self._trace: Trace | None = None
        _record_turns(host)

    def fail(self) -> None:
        """Mark the test as failed."""
        self.failed = True
        if self._trace:
            write_recording(self._trace, self.file)

    def finish(self) -> None:
        """Build the trace before the host closes."""
        self._trace = self._make_trace(self._host)
        if self.failed:
            write_recording(self._trace, self.file)

    def _make_trace(self, host: Host) -> Trace:
        events = host.events
        content = {**self._content, **_list_user_input(events)}
        # A scenario resolves the paths of its plugins relative to its own folder.
        here = self.file
        secrets = list_secrets({**os.environ, **content.get("env", {})}, list_required_variables(content, here, events))
        places = dict.fromkeys((str(host.home), os.path.realpath(host.home)), "<home>")
        about = {"host": host.kind, "release": host.release, "scenario": self._name}
        trace = make_recording(events, content, places, Redactor(secrets), problems=(), **about)
        return trace if _can_replay(events) else replace(trace, recording=None)


def _record_turns(host: Host) -> None:
    """Also record the turns of a session, like the scenario player."""
    chat, command = host.chat, host.command

    def record_chat(text: str) -> Turn:
        __tracebackhide__ = True
        turns: list[Turn] = []

        def take_turn(text: str) -> str | None:
            __tracebackhide__ = True
            turns.append(chat(text))
            return turns[-1].reply

        host.recording.call("turn", "chat", take_turn, (text,), {})
        return turns[-1]

    vars(host).update(chat=record_chat, command=host.recording.wrap("turn", "command", command))


def _list_user_input(events: Sequence[Event]) -> dict[str, Any]:
    """List the messages of the user, in the form of a scenario."""
    messages = [event["arguments"] for event in events if event["kind"] == "message"]
    if messages:
        return {"mode": "gateway", "messages": messages}
    return {"turns": [event["arguments"]["text"] for event in events if event["kind"] == "turn"]}


def _can_replay(events: Sequence[Event]) -> bool:
    """Return whether a scenario can repeat a test: scenarios cannot call tools or fire hooks outside of turns."""
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
    """Name the trace file after its test, with a digest if the test's name is not a valid file name."""
    plain = re.sub(r"[^\w.]+", "-", name).strip("-")
    if plain == name.replace("::", "-").replace("/", "-") and len(plain) <= _LONGEST_NAME:
        return f"{plain}.trace"
    return f"{plain[:_LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.trace"
