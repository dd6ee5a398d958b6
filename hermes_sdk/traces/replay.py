"""Replay of a recording with the current plugins, and its first divergence from the recording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import REFUSAL, HostKind
from hermes_sdk.manifest import Form
from hermes_sdk.traces.comparison import Difference, compare, expected_differences, format_value
from hermes_sdk.traces.player import play_recording
from hermes_sdk.traces.recording import UNREPLAYABLE, read_recorded_scenario
from hermes_sdk.traces.scenario import name_forms
from hermes_sdk.traces.trace import Event, Trace

_GIVEN = frozenset({"builtin_tool", "cli_command", "command", "ctx_llm", "http_request", "message", "turn"})
"""Kinds of events whose arguments come from the model, the user or a plugin instead of the release."""

_ID = re.compile(r"<(?:session|uuid|turn) \d+>|<id>(?::<id>)+")
_FIRST = re.compile(r"\s*\[System note: This is the user's very first message ever\.[^\]]*\]")
"""Matches the note that a gateway adds to the first message of a home, such as the home of a replay."""

_OFFERED = re.compile(r"(Available tools: )[\w, -]+")
_OF_ADAPTER = frozenset({"message_type", "platform_update_id", "raw_message", "timestamp"})
"""Fields that an adapter adds to a received message, and that a replay does not know."""

_OF_SERVER = ("created", "id", "model", "service_tier", "system_fingerprint")
"""Metadata that the server of a model adds to an answer."""

_OF_START = {
    "on_interim_message": ("already_streamed",),
    "post_api_request": ("response_model",),
    "post_auxiliary_call": ("response_model",),
    "pre_verify": ("coding",),
}
"""Arguments of hooks that depend on the model's server, and on the terminal and working directory of the host."""

_SPEAKERS = frozenset({"command", "hook", "llm_request", "middleware", "shell_hook"})
_LONGEST_CHANCE = 8
"""The maximum length of a text that may occur in another text by chance."""

_OF_MESSAGES = ("role", "content", "tool_calls")


@dataclass(frozen=True)
class Replay:
    """Result of the replay of a recording.

    Attributes:
        differences: The differences between recording and replay, in the order of events. On another release or in
            another form, only the actions of plugins and the texts for the model and the user are compared.
    """

    recorded: Trace
    played: Trace
    differences: tuple[Difference, ...]

    @property
    def problems(self) -> list[str]:
        """Return the problems that did not occur in the recording, such as an unused answer of the model."""
        return [problem for problem in self.played.problems if problem not in self.recorded.problems]

    @property
    def unsupported(self) -> str:
        """Return the first feature that the replay needs but the embedded host does not model; empty if none."""
        return next((problem for problem in self.problems if problem.startswith(REFUSAL)), "")

    @property
    def is_equal(self) -> bool:
        """Return whether the replay equals the recording."""
        return not self.differences and not self.problems

    @property
    def reason(self) -> str:
        """Return the first divergence, such as ``at event 6: …``, or the first problem; empty if they are equal.

        A feature that the embedded host does not model takes precedence, because it causes the divergence.
        """
        if self.unsupported or not self.differences:
            return self.unsupported or next(iter(self.problems), "")
        first = self.differences[0]
        files = (self.recorded.recording or {}).get("data_left_out", ())
        note = f" (the plugin had stored {', '.join(files)}, which the recording lacks)" if files else ""
        return f"at event {find_number(first)}: {_describe(first, self.played.release)}{note}"


def replay(
    recorded: Trace,
    path: Path,
    *,
    host: HostKind = "embedded",
    release: str | None = None,
    allowed: Sequence[Path] = (),
    form: Form | None = None,
    plugin: str = "",
) -> Replay:
    """Replay a recording with the current plugins, without network access.

    Args:
        recorded: The recording from `read_recording`.
        path: Its file; paths in it are relative to the directory of the file.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent. Default: the release of the recording.
        allowed: Directories outside the recording's project that its paths may refer to.
        form: The form in which to load plugins that have it. Default: the form in the recording.
        plugin: The name of the plugin in a project with several, if the recording does not name it.

    Raises:
        UsageError: The recording cannot be replayed, refers to paths outside its project or to a plugin that does not
            exist, or the release is not known.
        UnavailableError: The real host of that release cannot be created on this machine.
        HermesSdkError: The process was killed.
    """
    if recorded.recording is None:
        raise UsageError("the trace has no scenario to replay", where=str(path))
    for problem in recorded.problems:
        if recorded.observed and problem.startswith(UNREPLAYABLE):
            raise UsageError(f"the recording {problem}", where=str(path))
    release = release or recorded.release
    played = play_recording(
        recorded.recording, path, host=host, release=release, allowed=allowed, form=form, plugin=plugin
    )
    scenario = read_recorded_scenario(recorded, path, allowed, plugin)
    return compare_replay(replace(recorded, forms=name_forms(scenario)), played)


def compare_replay(recorded: Trace, played: Trace) -> Replay:
    """Compare a recording with its replay."""
    left, right = (
        (forget_late_ends(join_deltas(one)) for one in (recorded, played)) if recorded.observed else (recorded, played)
    )
    if played.release != recorded.release or played.forms != recorded.forms:
        found = compare(_keep_outcomes(left), _keep_outcomes(right), ())
    elif recorded.observed:
        left, right = (forget_notices(forget_session(one)) for one in (left, right))
        found = compare(left, right, expected_differences())
    elif played.host != recorded.host:
        found = compare(forget_notices(left), forget_notices(right))
    else:
        found = compare(left, right)
    ends = _find_ends(recorded.events)

    def find_moment(difference: Difference) -> tuple[int, bool, bool]:
        number, is_missing = find_number(difference), difference.orders[1] is None
        is_outcome = difference.path.startswith(("returned", "raised"))
        return ends.get(number, number) if is_outcome else number, is_outcome, is_missing

    return Replay(recorded, played, tuple(sorted(found, key=find_moment)))


def find_number(difference: Difference) -> int:
    """Return the number of the event in the recording, or in the replay if the recording does not have it."""
    left, right = difference.orders
    return left or right or 0


def _find_ends(events: Sequence[Event]) -> dict[int, int]:
    """Return the number of the last event within each call, by the number of the call."""
    ends: dict[int, int] = {}
    open_calls: list[Event] = []
    for event in events:
        ends[event["order"]] = event["order"]
        open_calls = [one for one in open_calls if not _follows(event, one)]
        for one in open_calls:
            if one["kind"] == "turn" or one["thread"] == event["thread"]:
                ends[one["order"]] = event["order"]
        open_calls.append(event)
    return ends


def _follows(event: Event, call: Event) -> bool:
    """Return whether an event began after a call in the same thread had ended."""
    return bool(event["thread"] == call["thread"] and event["depth"] <= call["depth"])


def _keep_outcomes(trace: Trace) -> Trace:
    """Drop values that depend only on the release: threads, log messages, and arguments from the host."""
    return replace(trace, events=tuple(_list_outcomes(trace.events)))


def _list_outcomes(events: tuple[Event, ...]) -> Iterator[Event]:
    for event in events:
        if event["kind"] == "log":
            continue
        kept = {key: value for key, value in event.items() if key not in ("arguments", "callback", "depth")}
        if event["kind"] == "llm_request":
            messages = event["arguments"].get("messages")
            kept["arguments"] = {
                "messages": [
                    {key: one[key] for key in _OF_MESSAGES if key in one}
                    for one in (messages if isinstance(messages, list) else ())
                    if isinstance(one, dict) and one.get("role") != "system"
                ]
            }
            kept.pop("returned", None)
        elif event["kind"] == "tool":
            kept["arguments"] = {"args": event["arguments"].get("args")}
        elif event["kind"] in _GIVEN:
            kept["arguments"] = event["arguments"]
        elif event["kind"] == "middleware" and event["name"] != "tool_request":
            kept.pop("returned", None)  # The host's return values; later events show their effects.
        yield {**kept, "thread": "MainThread"}


def join_deltas(trace: Trace) -> Trace:
    """Join the deltas of an answer that a hook receives, because each model splits answers differently."""
    joined: list[Event] = []
    last: dict[Any, int] = {}
    for event in trace.events:
        if (event["kind"], event["name"]) == ("hook", "on_stream_delta"):
            receiver = event["thread"], event.get("callback")
            place = last.get(receiver)
            if place is not None and _without_delta(joined[place]) == _without_delta(event):
                before = joined[place]["arguments"]
                delta = before["delta"] + event["arguments"]["delta"]
                joined[place] = {**joined[place], "arguments": {**before, "delta": delta}}
                continue
            last[receiver] = len(joined)
        joined.append(event)
    return replace(trace, events=tuple(joined))


def _without_delta(event: Event) -> Event:
    """Return an event without the delta, so that events of the same answer are equal."""
    arguments = {key: value for key, value in event["arguments"].items() if key != "delta"}
    return {**event, "order": 0, "arguments": arguments}


def forget_late_ends(trace: Trace) -> Trace:
    """Drop ``on_stream_end`` of requests that the user stopped: a thread fires it later or never."""
    parts: list[list[Event]] = [[]]
    for event in trace.events:
        if event["kind"] in ("message", "turn"):
            parts.append([])
        parts[-1].append(event)
    stopped = {
        event["arguments"].get("turn_id")
        for part in parts
        if any(event["kind"] == "llm_request" and event.get("returned", {}).get("interrupts") for event in part)
        for event in part
        if event["name"] == "on_stream_start"
    }

    def is_late(event: Event) -> bool:
        given = event.get("arguments", {})
        return event["name"] == "on_stream_end" and not given.get("finished") and given.get("turn_id") in stopped

    return replace(trace, events=tuple(event for event in trace.events if not is_late(event)))


def forget_session(trace: Trace) -> Trace:
    """Drop values that depend on the start of the user's host, such as ids and the offered built-in tools."""
    tools = {
        str(event["arguments"].get("name"))
        for event in trace.events
        if (event["kind"], event["name"]) == ("register", "register_tool")
    }
    return replace(trace, events=tuple(_forget_event(event, tools) for event in trace.events))


def _forget_event(event: Event, tools: set[str]) -> Event:
    kept: dict[str, Any] = _forget(event, tools)
    left_out: tuple[str, ...] = ()
    if kept["kind"] == "turn" and kept["arguments"] == {"text": "/new"}:
        left_out = ("callback", "returned")
    elif kept["kind"] == "llm_request":
        left_out = ("raised",)
    elif kept["kind"] == "hook" and kept["name"] in _OF_START:
        given = kept["arguments"]
        kept["arguments"] = {key: value for key, value in given.items() if key not in _OF_START[kept["name"]]}
        if isinstance(response := given.get("response"), dict):
            response.pop("model", None)
    elif kept["name"] == "llm_execution" and isinstance(response := kept.get("returned"), dict):
        kept["returned"] = {key: value for key, value in response.items() if key not in _OF_SERVER}
    return {key: value for key, value in kept.items() if key not in left_out}


def _forget(value: Any, tools: set[str]) -> Any:
    if isinstance(value, str):
        return _OFFERED.sub(r"\1<tools>", _ID.sub("<id>", _FIRST.sub("", value)))
    if isinstance(value, list):
        return [_forget(item, tools) for item in value if not _is_builtin(item, tools)]
    if isinstance(value, dict):
        left_out = _OF_ADAPTER if value.get("__type__") == "MessageEvent" else ("tool_count",)
        return {key: _forget(item, tools) for key, item in value.items() if key not in left_out}
    return value


def forget_notices(trace: Trace) -> Trace:
    """Drop the texts of a gateway's own messages, which depend on its language and its message catalogue."""
    said = {text.strip() for event in trace.events for text in _list_said(event)}
    return replace(trace, events=tuple(_forget_notice(event, said) for event in trace.events))


def _forget_notice(event: Event, said: set[str]) -> Event:
    arguments = event.get("arguments", {})
    content = arguments.get("content")
    if event["kind"] != "adapter" or not isinstance(content, str):
        return event
    text = content.strip()
    if any(text in one or (len(one) > _LONGEST_CHANCE and one in text) for one in said):
        return event
    return {**event, "arguments": {**arguments, "content": "<notice>"}}


def _list_said(event: Event) -> Iterator[str]:
    """Yield the texts in an event that come from the model or a plugin."""
    returned = event.get("returned")
    if event["kind"] == "llm_request":
        returned = returned and returned.get("text")
    if event["kind"] in _SPEAKERS:
        yield from _list_texts(returned)


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _list_texts(item)


def _is_builtin(value: Any, tools: set[str]) -> bool:
    """Return whether a value is the definition of a tool that no plugin has registered."""
    if not isinstance(value, dict) or value.get("type") != "function":
        return False
    function = value.get("function")
    return isinstance(function, dict) and "parameters" in function and str(function.get("name")) not in tools


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
