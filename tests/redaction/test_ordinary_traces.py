"""Redaction does not change traces and words without secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_sdk.redaction import Redactor
from hermes_sdk.traces import read_scenario, redact_trace
from hermes_sdk.traces.player import play_in_process

SCENARIOS = sorted((Path(__file__).parents[1] / "conformance" / "scenarios").glob("*.yaml"))
SECRETS = {'"api_key": "dummy-key"': '"api_key": "<redacted>"', "hunter2": "<redacted>"}
"""Secrets of the scenarios."""


@pytest.mark.parametrize("scenario", SCENARIOS[::3], ids=lambda path: path.stem)
def test_only_secrets_of_a_trace_are_redacted(scenario: Path) -> None:
    trace = play_in_process(read_scenario(scenario), "embedded", "0.22.2")
    assert trace.events
    expected = "\n".join(trace.lines())
    for secret, redacted in SECRETS.items():
        expected = expected.replace(secret, redacted)
    assert "\n".join(redact_trace(trace).lines()) == expected


def test_ordinary_words_are_not_redacted() -> None:
    events = [
        {"order": 1, "kind": "tool", "name": "pin_message", "thread": "", "depth": 0, "arguments": one, "returned": two}
        for one, two in (
            ({"pin": True, "seed": 42, "message_id": 123456}, json.dumps({"pass": 12, "fail": 3, "skip": 0})),
            ({"pwd": "/some/dir", "env": {"OLDPWD": "/tmp"}}, "12 passed: the seed of the random generator is 7"),
            ({"pass_count": 5, "tokens": 31, "max_tokens": 4096}, "pwd: /some/dir, pass: 12, pin: 17"),
            ({"text": "a compass for the passenger"}, "bypass=1, spinning: 2, pinned: yes"),
        )
    ]
    lines = [json.dumps(one) for one in events]
    redactor = Redactor()
    redactor.learn(*events, *lines)
    assert redactor.value(events) == events
    assert [*map(redactor.text, lines)] == lines
