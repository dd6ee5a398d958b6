"""Answers of child processes are not trusted."""

from __future__ import annotations

import pytest

from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.hosts.interface import Failure
from hermes_sdk.hosts.processes import answers
from hermes_sdk.hosts.processes.answers import has_shape
from hermes_sdk.traces import parse_trace


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (b"", ((), None)),
        (b'["env"]\n', (("env",), None)),
        (b'["env"]\n{"a": 1}\n', (("env",), {"a": 1})),
        (b'["env"]\n{"a": ', (("env",), None)),
    ],
)
def test_answer_consists_of_layers_and_result(sent, found):
    assert answers.read(sent, isolated=True, required=()) == found


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"[]\n{}\n{}\n", "more than one result"),
        (b"[]\nnot JSON\n", "invalid JSON"),
        (b"[]\n" + b"[" * 100_000 + b"\n", "invalid JSON"),
        (b"[]\n" + b"9" * 5_000 + b"\n", "invalid JSON"),
        (b"[]\n" + b" " * answers.LIMIT, "more than 32 MB"),
    ],
)
def test_invalid_output_is_rejected(sent, message):
    with pytest.raises(HermesSdkError, match=f"invalid answer: {message}"):
        answers.read(sent, isolated=True, required=())


def test_error_names_missing_layer():
    with pytest.raises(UnavailableError, match="missing: netns"):
        answers.read(b'["env"]\n', isolated=True, required=["env", "netns"])


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"error": "E", "fix": "", "place": None}, True),
        ({"error": "E", "fix": "", "place": {"file": "a", "line": 1}}, True),
        ({"error": "E", "fix": "", "place": {"file": "a", "line": "1"}}, False),
        ({"error": "E", "fix": ""}, False),
        ({"error": "E", "fix": "", "place": None, "more": 1}, False),
        ([], False),
    ],
)
def test_has_shape_checks_types(value, fits):
    assert has_shape(value, Failure) is fits


def test_trace_with_invalid_lines_is_rejected():
    header = '{"schema": "hermes-sdk.trace/1", "host": "real", "release": "1", "scenario": "s", "normalised": true'
    with pytest.raises(HermesSdkError, match="'order' is missing in event"):
        parse_trace(f'{header}, "problems": []}}\n{{}}', "it")
