"""Errors in traces are reported with their lines, and too large traces are rejected."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from traces.mutations import mutate

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.traces import Trace, parse_trace, read_trace, reader
from hermes_sdk.traces.reader import MAX_BYTES, MAX_EVENTS, make_rule

SCHEMA = json.loads(Path(reader.__file__).with_name("trace.schema.json").read_text())
ABOUT = {"host": "real", "release": "1.0", "scenario": "s", "normalised": True, "problems": list[str]()}
HEADER = {"schema": "hermes-sdk.trace/1", **ABOUT}
EVENT = {"order": 1, "kind": "hook", "name": "pre_llm_call", "thread": "", "depth": 0, "arguments": {}}
CALLS = {"text": "x", "tool_calls": [{"name": "t", "arguments": "{}", "id": None}]}


RULES = ("header", "event")


def lines(*events: Mapping[str, Any], **header: Any) -> str:
    return "\n".join(map(json.dumps, [{**HEADER, **header}, *events]))


@pytest.mark.parametrize(
    "event",
    [
        EVENT,
        {**EVENT, "kind": "log", "logger": "l", "message": "m"},
        {**EVENT, "kind": "turn", "arguments": {"text": "hello"}},
        {**EVENT, "kind": "llm_request", "returned": CALLS},
        {**EVENT, "returned": float("nan"), "t": 2**63 - 1, "unknown": 1},
    ],
)
def test_valid_events_are_read(event: Mapping[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "it.trace"
    file.write_text(lines(event, grade=None, unknown=1) + "\n")
    assert str(read_trace(file).events) == str((dict(event),))


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (lines(host="both"), 1, 'host must be "embedded" or "real", not "both"'),
        (lines(problems="none"), 1, 'problems must be a list, not "none"'),
        (lines(problems=[1]), 1, "an item of problems must be text, not 1"),
        (lines(normalised=1), 1, "normalised must be true or false, not 1"),
        (lines(recording=[]), 1, "recording must be a mapping, not []"),
        (lines(schema="hermes-sdk.show/1"), 1, 'schema must be "hermes-sdk.trace/1"'),
        ("[]", 1, "header must be a mapping, not []"),
        (lines({**EVENT, "order": True}), 2, "order must be a whole number, not true"),
        (lines({**EVENT, "order": 10**400}), 2, "order is not between 1 and"),
        (lines(EVENT, {**EVENT, "depth": -1}), 3, "depth is not between 0 and"),
        (lines({**EVENT, "kind": "magic"}), 2, 'kind must be "register" or'),
        (lines({**EVENT, "kind": ["hook"]}), 2, 'not ["hook"]'),
        (lines({**EVENT, "arguments": []}), 2, "arguments must be a mapping, not []"),
        (lines({**EVENT, "raised": {}}), 2, "raised must be text, not {}"),
        (lines({**EVENT, "t": "now"}), 2, 't must be a whole number, not "now"'),
        (lines({**EVENT, "kind": "turn"}), 2, "the key 'text' is missing in arguments"),
        (lines({**EVENT, "kind": "message", "arguments": {"text": 1}}), 2, "text must be text, not 1"),
        (lines({**EVENT, "kind": "llm_request", "returned": "x"}), 2, 'returned must be a mapping, not "x"'),
        (lines({**EVENT, "kind": "llm_request", "returned": {"tool_calls": [1]}}), 2, "an item of tool_calls must be"),
        (lines({key: EVENT[key] for key in EVENT if key != "arguments"}), 2, "the key 'arguments' is missing in event"),
        (f"{lines(EVENT)}\n\n", 3, "Expecting value"),
        (f"{lines(EVENT)}\n{'[' * 100_000}", 3, "nested more than 200 levels deep"),
        (f'{lines(EVENT)}\n{{"order": {"1" * 5000}}}', 3, "Exceeds the limit"),
    ],
)
def test_error_names_line(content: str, line: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_trace(content, "it.trace")
    assert (message in caught.value.message, caught.value.where) == (True, f"it.trace:{line}")


def test_too_many_events_and_too_large_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"more than {MAX_EVENTS} events"):
        parse_trace("\n" * (MAX_EVENTS + 2), "it.trace")
    with (tmp_path / "it.trace").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(UsageError, match="larger than 256 MiB"):
        read_trace(tmp_path / "it.trace")


def test_trace_can_be_read_from_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "it.trace")
    writer = threading.Thread(target=(tmp_path / "it.trace").write_text, args=[lines(EVENT)])
    writer.start()
    assert read_trace(tmp_path / "it.trace").events == (EVENT,)
    writer.join()


@pytest.mark.parametrize("seed", range(5))
def test_reader_and_jsonschema_agree(seed: int) -> None:
    random = Random(seed)
    events = [EVENT, {**EVENT, "kind": "log"}, {**EVENT, "kind": "llm_request", "returned": CALLS, "t": 1, "end": 2}]
    turn = {**EVENT, "kind": "turn", "arguments": {"text": "hello"}}
    validators = {name: Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}) for name in RULES}
    seen = set[bool]()
    for _ in range(100):
        content = mutate(lines(*events, turn, reason=None, recording={}).split("\n"), random)
        for number, line in enumerate(content.decode("utf-8", "replace").split("\n")):
            name = RULES[min(number, 1)]
            try:
                value = parse_json(line)
            except ValueError:
                continue
            is_valid = not make_rule(name).find_violation(value, name)
            assert is_valid == validators[name].is_valid(value), line
            seen.add(is_valid)
    assert seen == {True, False}


def test_unknown_key_of_header_is_ignored() -> None:
    assert parse_trace(lines(further=1), "it.trace") == Trace("real", "1.0", "s", (), normalised=True)
