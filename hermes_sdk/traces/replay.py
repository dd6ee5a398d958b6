"""Replaying a recording with the plugins of today, and where that first diverges from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces.comparison import Difference, compare, format_value
from hermes_sdk.traces.player import play_recording
from hermes_sdk.traces.trace import Event, Trace

_GIVEN = frozenset({"builtin_tool", "cli_command", "command", "ctx_llm", "message", "turn"})
"""Kinds of events whose arguments come from the model, the user or a plugin, and not from the release."""

_ID = re.compile(r"<(?:session|uuid|turn) \d+>|<id>(?::<id>)+")
_OFFERED = re.compile(r"(Available tools: )[\w, -]+")
_OF_MESSAGES = ("role", "content", "tool_calls")


@dataclass(frozen=True)
class Replay:
    """A recording that was replayed.

    Attributes:
        recorded: The recording.
        played: What happened now.
        differences: Where the two differ, in the order of events. On another release only what plugins did counts, and
            what the model and the user got.
    """

    recorded: Trace
    played: Trace
    differences: tuple[Difference, ...]

    @property
    def problems(self) -> list[str]:
        """What went wrong now and not in the recording, such as an answer of the model that was not used."""
        return [problem for problem in self.played.problems if problem not in self.recorded.problems]

    @property
    def is_equal(self) -> bool:
        """Whether it was the same."""
        return not self.differences and not self.problems

    @property
    def reason(self) -> str:
        """Where it first diverges, such as ``at event 6: …``, or the first problem; empty if it is the same."""
        if not self.differences:
            return self.problems[0] if self.problems else ""
        first = self.differences[0]
        return f"at event {find_number(first)}: {_describe(first, self.played.release)}"


def replay(recorded: Trace, path: Path, *, host: HostKind = "embedded", release: str | None = None) -> Replay:
    """Play a recording with the plugins of today, without a network.

    Args:
        recorded: The recording.
        path: Its file; paths in it are relative to the directory of the file.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent. Default: that of the recording.

    Raises:
        UsageError: The recording is invalid, names a plugin that does not exist, or the release is not known.
        UnavailableError: The real host of that release cannot be made here.
        HermesSdkError: The process was killed.
    """
    if recorded.recording is None:
        raise UsageError("the trace has no scenario to replay", where=str(path))
    played = play_recording(recorded.recording, path, host=host, release=release or recorded.release)
    if played.release != recorded.release:
        found = compare(_keep_outcomes(recorded), _keep_outcomes(played), ())
    elif recorded.observed:
        found = compare(forget_session(recorded), forget_session(played))
    else:
        found = compare(recorded, played)
    return Replay(recorded, played, tuple(sorted(found, key=find_number)))


def find_number(difference: Difference) -> int:
    """Return the number of the event in the recording, or in the replay if the recording lacks it."""
    left, right = difference.orders
    return left or right or 0


def _keep_outcomes(trace: Trace) -> Trace:
    """Leave out what depends on the release alone: threads, the log, and the arguments that the host passes."""
    return replace(trace, events=tuple(_list_outcomes(trace.events)))


def _list_outcomes(events: tuple[Event, ...]) -> Iterator[Event]:
    for event in events:
        if event["kind"] == "log":
            continue
        kept = {key: value for key, value in event.items() if key not in ("arguments", "callback", "depth")}
        if event["kind"] == "llm_request":
            messages = event["arguments"].get("messages", ())
            kept["arguments"] = {"messages": [_keep_message(one) for one in messages if one.get("role") != "system"]}
            kept.pop("returned", None)
        elif event["kind"] == "tool":
            kept["arguments"] = {"args": event["arguments"].get("args")}
        elif event["kind"] in _GIVEN:
            kept["arguments"] = event["arguments"]
        elif event["kind"] == "middleware" and event["name"] != "tool_request":
            kept.pop("returned", None)  # Values of the host, which show in what comes after.
        yield {**kept, "thread": "MainThread"}


def forget_session(trace: Trace) -> Trace:
    """Leave out what depends on how the user's host was started: its ids, and the built-in tools that it offers."""
    tools = {
        str(event["arguments"].get("name"))
        for event in trace.events
        if (event["kind"], event["name"]) == ("register", "register_tool")
    }
    return replace(trace, events=tuple(_forget(event, tools) for event in trace.events))


def _forget(value: Any, tools: set[str]) -> Any:
    if isinstance(value, str):
        return _OFFERED.sub(r"\1<tools>", _ID.sub("<id>", value))
    if isinstance(value, list):
        return [_forget(item, tools) for item in value if not _is_builtin(item, tools)]
    if isinstance(value, dict):
        return {key: _forget(item, tools) for key, item in value.items() if key != "tool_count"}
    return value


def _is_builtin(value: Any, tools: set[str]) -> bool:
    """Return whether a value is the definition of a tool that no plugin has registered."""
    if not isinstance(value, dict) or value.get("type") != "function":
        return False
    function = value.get("function")
    return isinstance(function, dict) and "parameters" in function and function.get("name") not in tools


def _keep_message(message: Mapping[str, Any]) -> dict[str, Any]:
    return {key: message[key] for key in _OF_MESSAGES if key in message}


def _describe(difference: Difference, release: str) -> str:
    event, path = difference.event, difference.path
    if not path:
        if difference.orders[1] is None:
            return f"{event} is missing from the replay{_explain_missing(event, release)}"
        return f"{event} is not in the recording"
    left, right = format_value(difference.left), format_value(difference.right)
    if path == "returned" or path.startswith(("returned.", "returned[")):
        inner = path.removeprefix("returned").removeprefix(".")
        return f"{event} returned {left}{f' in {inner}' if inner else ''}, now {right}"
    if path == "raised":
        return f"{event} raised {left}, now {right}"
    return f"{event} got {path.removeprefix('arguments.')} = {left}, now {right}"


def _explain_missing(event: str, release: str) -> str:
    kind, _, name = event.partition(" ")
    known = contract.load(release)
    if kind == "hook" and name not in known.hooks:
        return f": Hermes {release} has no such hook"
    if kind == "middleware" and name not in known.middleware_kinds:
        return f": Hermes {release} has no such middleware"
    return ""
