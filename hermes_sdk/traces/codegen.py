"""Generation of tests from recordings: a test repeats the user's actions, and expects the plugin's effects."""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from hermes_sdk import contract, manifest
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.llm import Answer
from hermes_sdk.manifest import Parsed
from hermes_sdk.traces.boundary import Boundary
from hermes_sdk.traces.plugin_tests import (
    Check,
    Expression,
    Fixture,
    PluginTest,
    Step,
    call,
    escape_pattern,
    literal,
    write_test,
)
from hermes_sdk.traces.recording import move_paths, read_recording
from hermes_sdk.traces.scenario import Scenario, refuse_outside
from hermes_sdk.traces.timeline import Row, make_timeline
from hermes_sdk.traces.trace import Trace
from hermes_sdk.traces.trace_secrets import redact_trace

_MOMENT = (
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?\b"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
    r"|\b(?:\d{1,2}\.? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,4}(?:, \d{4})?\b"
    r"|\b\d+(?:\.\d+)? ?(?:µs|ms|s|secs?|seconds?|mins?|minutes?)\b"
    r"|\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b"
)
"""Matches dates, times, durations and Unix timestamps."""
_CLOCKED = re.compile(r"(?i)(?:^|_)(?:age|at|date|duration|elapsed|ms|now|seconds|time|timestamp|today|took|uptime)$")
"""Matches keys of numbers that are times or durations."""
_VARYING = re.compile(
    rf"{_MOMENT}|"
    r"<(?:session|stamp|uuid|subagent|delegation|hex|turn) \d+>"
    r"|<(?:address|code|digest|float|int|port|redacted|seconds|time|tip)>"
    r"|(?<=Available tools: )[\w, -]+"
    r"""|<(?:home|scenario|tmp)>(?:<[a-z]+ \d+>|[^\s"'])*"""
)
_SWALLOWED = frozenset({"context_engine", "gateway_hook", "hook", "memory", "middleware", "tool"})
_NOT_IN_A_TEST = ("pythonpath", "stateless")
_FAILED = re.compile(r"Failed to load plugin '(?P<name>[^']+)'")
"""Matches the host's log message about a plugin that failed to load."""

_TEST_CHAT = "test_chat"
"""The directory of the platform that the fixtures add to a project without one."""
_WHERE_INJECTED = {"pre_llm_call": "user_text", "prefetch": "user_text", "system_prompt_block": "system_text"}
_NOTICES = ("📬 ", "gateway.notify.")
"""Prefixes of a gateway's own messages: about a platform without a home channel, or the key of that text."""
_NAMES = {"chat_id": "chat", "user_id": "user", "user_name": "name", "thread_id": "thread", "platform": "platform"}
"""Fields of a message's chat -> arguments of `Gateway.dm` and `Gateway.group`."""

_ALWAYS_SENT = frozenset({"messages", "model", "stream", "stream_options", "tools"})
"""The keys of a request's body that do not depend on a plugin that provides the model."""


def convert_recording(path: Path, root: Path, *, allowed: Sequence[Path] = (), snapshot: bool = False) -> str:
    """Read a recording, and generate a test as `generate_test` does.

    Args:
        path: The file of the recording.
        root: The root directory of pytest, to which the paths of several plugins are relative.
        allowed: Directories outside the recording's project that may contain such plugins.
        snapshot: Whether to write expected values as snapshots of inline-snapshot.

    Raises:
        UsageError: The recording cannot be read, the run failed, the fixtures do not support the run, or the test would
            load a plugin outside the project.
    """
    recorded = redact_trace(read_recording(path))
    recording = recorded.recording or {}
    try:
        if len(_list_plugins(recording)) > 1:
            refuse_outside(Parsed(path, recording), Boundary.of(path, allowed))
        moved = move_paths(recording, path.parent, root)
        names_plugin = _is_one_of_several(moved, root)
        return generate_test(replace(recorded, recording=moved), snapshot=snapshot, names_plugin=names_plugin)
    except UsageError as error:
        error.where = error.where or str(path)
        raise


def _is_one_of_several(recording: Mapping[str, Any], root: Path) -> bool:
    """Return whether the root directory of pytest has several plugins, including a recorded one."""
    try:
        several = len(manifest.find_plugins(root)) > 1
    except UsageError:
        return False
    items = [*recording.get("plugins", ()), *recording.get("gateway_hooks", ())]
    return several and any((root / _path_of(one)).resolve().is_relative_to(root.resolve()) for one in items)


def _path_of(item: str | Mapping[str, str]) -> str:
    return item if isinstance(item, str) else item["path"]


def generate_test(trace: Trace, *, snapshot: bool = False, names_plugin: bool = False) -> str:
    """Generate a test that replays a recording with the project's plugin, and expects the plugin's effects.

    Values that differ between runs are omitted, or matched by a pattern.

    Args:
        snapshot: Whether to write expected values as snapshots of inline-snapshot.
        names_plugin: Whether the test names the plugin even if it is the only one in the recording.

    Raises:
        UsageError: The run failed, or the fixtures do not support it.
    """
    recording = trace.recording
    if recording is None:
        raise UsageError("the trace has no scenario to replay", fix="Make a recording with `hermes-sdk record`.")
    if trace.problems:
        raise UsageError(
            f"the run failed, so its test would fail too: {trace.problems[0]}", fix="Record a run without this problem."
        )
    plugins = _list_plugins(recording)
    if failed := [found["name"] for event in trace.events if (found := _FAILED.match(str(event.get("message"))))]:
        raise UsageError(
            f"the pytest fixtures need plugins that load, but {failed[0]} did not",
            fix="Repair the plugin and record again, or record a run without it.",
        )
    scenario = Scenario.of(recording, Path(trace.scenario))
    if scenario.messages and any(answer.interrupts for answer in scenario.main):
        raise UsageError(
            "the recording contains a message that interrupts a turn, but `receives` waits for the end of the turn",
            fix="Record a run without such a message, or write a test whose script contains a function that sends it.",
        )
    fixture: Fixture = "hermes_gateway" if scenario.messages else "hermes"
    events = (trace if trace.normalised else trace.normalise({})).events
    rows = make_timeline(events, contract.load_closest(trace.release)).rows
    said = [*scenario.turns, *(message["text"] for message in scenario.messages)]
    results = recording.get("builtin_results", ())
    config = {**scenario.config, **({"hooks_auto_accept": True} if scenario.accept_hooks else {})}
    of_files = {key: value for key, value in config.items() if "{files}" in json.dumps(value)}
    fixed = {key: value for key, value in config.items() if key not in of_files}
    # The fixtures find the only plugin of a project automatically.
    options = {
        "plugin": plugins if len(plugins) > 1 else plugins[0] if names_plugin else (),
        "defaults": scenario.defaults,
        "toolsets": scenario.toolsets,
        "config": fixed,
    }
    test = PluginTest(
        said[0],
        fixture,
        list(_make_steps(rows, scenario)),
        {key: value for key, value in {**options, "env": scenario.env}.items() if value},
        list(_list_swallowed(rows)),
        results if any("result" in one for one in results) else (),
        scenario.files,
        of_files,
        recording.get("http_answers", ()),
        scenario.data,
    )
    release = trace.release
    option = release if contract.grade(release) else "installed"
    note = (
        ""
        if release == contract.DEFAULT
        else f"# Recorded on Hermes {release}; run it with --hermes-release {option}.\n"
    )
    return note + write_test(test, snapshot=snapshot)


def _list_swallowed(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        raised = row.event.get("raised", "")
        # Errors of the model pass through middleware, but the plugin did not raise them.
        if row.event["kind"] in _SWALLOWED and raised and not raised.startswith("_DownstreamExecutionError"):
            yield raised


def _list_plugins(recording: Mapping[str, Any]) -> list[str]:
    """List the plugins and event hooks of a recording by path or name; reject those that fixtures do not support."""
    for key in _NOT_IN_A_TEST:
        if recording.get(key):
            raise UsageError(
                f"the pytest fixtures do not support `{key}`",
                fix=f"Record a run without `{key}`, or write a test that calls hermes_sdk.hosts.open_host(…, {key}=…).",
            )
    plugins = recording.get("plugins", ())
    if len(recording.get("enable", plugins)) < len(plugins):
        raise UsageError(
            "the pytest fixtures enable all plugins, but the recording contains a disabled plugin",
            fix="Record a run without the disabled plugin.",
        )
    own = [one for one in plugins if Path(_path_of(one)).name != _TEST_CHAT]
    names = [one if isinstance(one, str) else one.get("plugin") or one["path"] for one in own]
    found = [*names, *recording.get("gateway_hooks", ())]
    if not found:
        raise UsageError("the recording has no plugin to test", fix="Record a run with the plugin under test.")
    return found


def _make_steps(rows: Sequence[Row], scenario: Scenario) -> Iterator[Step]:
    """Yield a step for each turn or message, with the model's answers in it."""
    begins = [row.at for row in rows if row.event["kind"] in ("turn", "message")]
    if len(begins) != len(scenario.messages or scenario.turns):
        raise UsageError("the events of the recording do not match its scenario", fix="Record the session again.")
    main, aux = iter(scenario.main), iter(scenario.aux)
    messages = iter(_shorten_messages(rows, scenario))
    model = scenario.config.get("model")
    is_provided = isinstance(model, Mapping) and "provider" in model
    asked = 0
    for begin, end in zip(begins, [*begins[1:], len(rows)], strict=True):
        # Requests before the first turn belong to its step.
        part = rows[begin if begin != begins[0] else 0 : end]
        steps = _Steps(rows[begin], [row for row in part if row.at >= begin], asked)
        count = {lane: len([row for row in part if _is_request(row, lane)]) for lane in ("main", "aux")}
        asked += count["main"]
        script = list(islice(main, count["main"])), list(islice(aux, count["aux"]))
        if scenario.messages:
            yield steps.message(next(messages), *script)
        else:
            yield steps.turn(*script, is_provided=is_provided and begin == begins[0])


def _shorten_messages(rows: Sequence[Row], scenario: Scenario) -> Iterator[dict[str, str]]:
    """Yield the messages without default values, which are the id `m<number>` and the only platform."""
    several = len([row for row in rows if row.event["name"] == "register_platform"]) > 1
    for number, message in enumerate(scenario.messages, 1):
        usual = {"message_id": f"m{number}", **({} if several else {"platform": message.get("platform")})}
        yield {key: value for key, value in message.items() if usual.get(key) != value}


def _is_request(row: Row, lane: str) -> bool:
    return (row.event["kind"], row.event["name"]) == ("llm_request", lane)


class _Steps:
    """Builder of the step of one turn.

    Args:
        begin: The event with which the turn begins.
        rows: The events until the next turn.
        asked: The number of earlier requests in the lane ``main``.
    """

    def __init__(self, begin: Row, rows: Sequence[Row], asked: int) -> None:
        self._begin = begin
        self._rows = rows
        self._asked = asked
        self._requests = [row for row in rows if _is_request(row, "main")]

    def turn(self, main: Sequence[Answer], aux: Sequence[Answer], *, is_provided: bool) -> Step:
        """Return the step of a turn; with `is_provided`, it also checks the parameters that the model provider adds."""
        text = literal(self._begin.event["arguments"]["text"])
        reply = self._begin.event.get("returned")
        if self._begin.event["name"] == "command":
            # A recorded session does not contain the host's output of `/new`.
            checks = [*_expect("reply", reply)] if "returned" in self._begin.event else []
            return _finish(call("hermes.command", text), "reply", checks, main, aux)
        checks = [*_expect("turn.reply", reply), *self._expect_tools(main), *self._expect_effects(main)]
        checks += self._expect_provider() if is_provided else ()
        return _finish(call("hermes.chat", text), "turn", checks, main, aux)

    def message(self, message: Mapping[str, str], main: Sequence[Answer], aux: Sequence[Answer]) -> Step:
        """Return the step of a message to a gateway."""
        source = {key: value for key, value in message.items() if key not in ("text", "message_id", "wait_send")}
        further = {"message_id": message.get("message_id"), "until": message.get("wait_send")}
        named = {key: literal(value) for key, value in further.items() if value}
        of = self._begin.event["arguments"].get("chat_id")
        sends = [row.event["arguments"] for row in self._rows if _is_send(row)]
        texts = [one["content"] for one in sends if one.get("chat_id") == of]
        checks = list(_expect_sent(texts))
        action = call(f"{_write_chat(source)}.receives", literal(message["text"]), **named)
        return _finish(action, "sent", checks, main, aux)

    def _expect_tools(self, main: Sequence[Answer]) -> Iterator[Check]:
        """Yield assertions about the results of tool calls as the model received them."""
        requests = [row.event for row in self._requests]
        calls = [call.get("id") for one in requests for call in one.get("returned", {}).get("tool_calls", ())]
        if any(call.name == "delegate_task" for one in main for call in one.tool_calls):
            # A turn does not include the calls of subagents.
            return
        messages = [one for each in requests for one in _list_mappings(each["arguments"], "messages")]
        results = {str(one.get("tool_call_id")): one.get("content") for one in messages if one.get("role") == "tool"}
        sent = {str(call.get("id")) for one in messages for call in _list_mappings(one, "tool_calls")}
        # The host drops a truncated answer, and repeats the request.
        for number, id in enumerate(id for id in map(str, calls) if id in sent):
            if isinstance(result := results.get(id), str):
                yield from _expect_result(f"turn.tool_calls[{number}].result", result)

    def _expect_provider(self) -> Iterator[Check]:
        """Yield assertions about the parameters that the model provider adds to the first request."""
        body = "hermes.llm.requests[0].body"
        for key, value in self._requests[0].event["arguments"].items() if self._requests else ():
            if key not in _ALWAYS_SENT:
                yield from [*_expect(f"{body}[{literal(key)}]", value)] or [Check(body, key, part=True)]

    def _expect_effects(self, main: Sequence[Answer]) -> Iterator[Check]:
        """Yield assertions about injected texts, and about return values of hooks that had an effect."""
        numbers: dict[str, int] = {}
        parallel = any(len(one.tool_calls) > 1 for one in main)
        for row in self._rows:
            kind, name, returned = row.event["kind"], row.event["name"], row.event.get("returned")
            number = numbers[name] = numbers.get(name, -1) + (kind == "hook")
            if row.effect is None or returned is None:
                continue
            request = self._next_request(row)
            if row.effect.verb == "injected" and request and (check := _expect_injected(row, *request)):
                yield check
            elif kind == "context_engine" and row.effect.verb == "rewrote" and request:
                count = len(_list_mappings(request[1], "messages"))
                yield Check(f"len(hermes.llm.requests[{request[0]}].messages)", count)
            elif kind == "hook" and not (parallel and "tool_name" in row.event["arguments"]):
                yield from _expect(f"turn.hooks.of({literal(name)})[{number}].returned", returned)

    def _next_request(self, row: Row) -> tuple[int, Mapping[str, Any]] | None:
        """Return the next request to the model, as its number in the session and its body."""
        number = bisect(self._requests, row.at, key=lambda one: one.at)
        if number == len(self._requests):
            return None
        return self._asked + number, self._requests[number].event["arguments"]


def _list_mappings(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the mappings in the list under a key; plugins can put any value into a request."""
    found = value.get(key)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _write_chat(source: Mapping[str, str]) -> Expression:
    """Write the expression for the chat of a message."""
    kind, user = source.get("chat_type", "dm"), source.get("user_id", "u1")
    given = {"user_id": user, "chat_id": user, **source}
    named = {name: given[key] for key, name in _NAMES.items() if given.get(key)}
    known = {"dm": {"user", "chat", "name", "platform"}, "group": {*_NAMES.values()}}.get(kind, set())
    if given.keys() - _NAMES.keys() - {"chat_type"} or not named.keys() <= known:
        return call("hermes_gateway.chat", literal(source))
    first = named.pop("user" if kind == "dm" else "chat")
    usual = {"chat": first} if kind == "dm" else {"user": "u1"}
    further = {name: literal(value) for name, value in named.items() if usual.get(name) != value}
    return call(f"hermes_gateway.{kind}", *([] if (kind, first) == ("dm", "u1") else [literal(first)]), **further)


def _expect_sent(texts: Sequence[str]) -> Iterator[Check]:
    """Yield assertions about sent messages, without the texts of the host's own messages, which differ by release."""
    own = [text for text in texts if text.startswith(_NOTICES)]
    if not texts:
        yield Check("sent", [])
    elif not own:
        yield from [*_expect("[one.text for one in sent]", texts)] or [Check("len(sent)", len(texts))]
    elif texts[-1] not in own:
        yield from _expect("sent[-1].text", texts[-1])


def _is_send(row: Row) -> bool:
    is_send = (row.event["kind"], row.event["name"]) == ("adapter", "send")
    return is_send and isinstance(row.event["arguments"].get("content"), str)


def _finish(action: Any, variable: str, checks: list[Check], main: Sequence[Answer], aux: Sequence[Answer]) -> Step:
    return Step(action, variable if checks else "", checks, main, aux)


def _expect_injected(row: Row, number: int, body: Mapping[str, Any]) -> Check | None:
    """Return the assertion that the next request contains an injected text; None if the text varies or was changed."""
    returned = row.event["returned"]
    text = str(returned.get("context", "") if isinstance(returned, Mapping) else returned).strip()
    place = _WHERE_INJECTED[row.event["name"]]
    role = "user" if place == "user_text" else "system"
    contents = [one.get("content") for one in _list_mappings(body, "messages") if one.get("role") == role]
    if _VARYING.search(text) or not contents or text not in str(contents[-1]):
        return None
    return Check(f"hermes.llm.requests[{number}].{place}", text, part=True)


def _expect_result(left: str, text: str) -> Iterator[Check]:
    """Yield assertions about the result of a tool, which is parsed if it is valid JSON."""
    try:
        value = parse_json(text)
    except ValueError:
        value = text
    if isinstance(value, (dict, list)):
        yield from _expect(f"{left}.json", value)
    else:
        yield from _expect(f"{left}.text", text)


def _expect(left: str, value: Any) -> Iterator[Check]:
    """Yield assertions about a value, without parts that differ between runs."""
    if not _varies(value):
        yield Check(left, value)
    elif isinstance(value, str):
        parts = _VARYING.split(value)
        if any(part.strip() for part in parts):
            yield Check(left, re.compile("(?s)" + ".*".join(map(escape_pattern, parts))))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            if not _VARYING.search(key) and not _is_moment(key, one):
                yield from _expect(f"{left}[{literal(key)}]", one)


def _varies(value: Any) -> bool:
    """Return whether part of a value differs between runs."""
    if isinstance(value, Mapping):
        return any(_VARYING.search(key) or _is_moment(key, one) or _varies(one) for key, one in value.items())
    if isinstance(value, list):
        return any(map(_varies, value))
    return _VARYING.search(str(value)) is not None


def _is_moment(key: str, value: Any) -> bool:
    """Return whether a value is a time or duration, according to its key."""
    return type(value) in (int, float) and _CLOCKED.search(key) is not None
