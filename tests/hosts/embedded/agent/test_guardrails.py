"""What the model is told of calls that go in circles."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_sdk import contract
from hermes_sdk.hosts.embedded.agent.guardrails import Guardrails
from hermes_sdk.hosts.embedded.tools.results import find_failure, is_file_change
from hermes_sdk.hosts.embedded.wording import Wording

NEW = contract.load("0.19.0").behaviour
ERROR = json.dumps({"error": "no"})


def _loop(settings: Any, *calls: tuple[str, dict[str, Any], Any], behaviour: Any = NEW) -> list[str]:
    rails = Guardrails(settings, behaviour, Wording("0.19.0"), "cli", notes_repetition=True)
    return [rails.review_result(*call).partition("[Tool loop ")[2].partition(";")[0] for call in calls]


def test_failures_that_repeat_are_told() -> None:
    calls = [("t", {"n": number}, ERROR) for number in (1, 1, 2, 3)]
    assert _loop({}, *calls) == [
        "",
        "warning: repeated_exact_failure_warning",
        "warning: same_tool_failure_warning",
        "warning: same_tool_failure_warning",
    ]
    assert _loop({"warnings_enabled": "off"}, *calls) == [""] * 4
    assert _loop({"warn_after": {"same_tool_failure": 4, "exact_failure": "x"}}, *calls)[1:] == [
        *("warning: repeated_exact_failure_warning", "", "warning: same_tool_failure_warning")
    ]


def test_a_success_ends_the_count() -> None:
    calls = [("t", {}, ERROR), ("t", {"n": 1}, "fine"), ("t", {}, "fine"), ("t", {}, ERROR)]
    assert _loop({}, *calls) == [""] * 4


def test_reading_the_same_again_is_told() -> None:
    calls = [("read_file", {"path": "a"}, '{"a": 1}'), ("read_file", {"path": "a"}, '{ "a":1}')]
    assert _loop({}, *calls) == ["", "warning: idempotent_no_progress_warning"]
    assert _loop({}, *(("t", {}, "same") for _ in range(3))) == [""] * 3


def test_a_turn_ends_where_that_is_switched_on() -> None:
    rails = Guardrails(
        {"hard_stop_enabled": True, "hard_stop_after": {"exact_failure": 2}},
        NEW,
        Wording("0.19.0"),
        "cli",
        notes_repetition=True,
    )
    for _ in range(2):
        assert rails.check_call("t", {"n": 1}) is None
        rails.review_result("t", {"n": 1}, ERROR)
    decision = rails.check_call("t", {"n": 1})
    assert decision is not None
    assert decision == rails.halt
    assert json.loads(decision.result)["guardrail"]["code"] == "repeated_exact_failure_block"
    assert "(repeated_exact_failure_block) after 2 repeated" in decision.reply
    assert rails.check_call("t", {"n": 2}) is None


def test_many_failures_of_one_tool_halt() -> None:
    rails = Guardrails(
        {"hard_stop_enabled": True, "hard_stop_after": {"same_tool_failure": 2}},
        NEW,
        Wording("0.19.0"),
        "cli",
        notes_repetition=True,
    )
    rails.review_result("t", {"n": 1}, ERROR)
    result = rails.review_result("t", {"n": 2}, ERROR)
    assert "[Tool loop hard stop: same_tool_failure_halt; count=2; Stopped t:" in result
    assert rails.halt


@pytest.mark.parametrize(
    ("tool", "result", "expected"),
    [
        ("t", "Error: no", True),
        ("t", '{"failed": 1}', True),
        ("t", '{"error": null}', True),
        ("t", "all fine", False),
        ("t", {"_multimodal": True}, False),
        ("t", '{"success": false, "message": "no"}', True),
        ("terminal", '{"exit_code": 1, "error": null}', True),
        ("terminal", '{"exit_code": 0, "error": null}', False),
        ("write_file", '{"bytes_written": 1, "lint": "error"}', False),
        ("patch", '{"success": true, "error": "no"}', True),
    ],
)
def test_what_counts_as_a_failure(tool: str, result: Any, expected: bool) -> None:
    assert (find_failure(tool, result, NEW) is not None) is expected


@pytest.mark.parametrize(
    ("tool", "result", "expected"),
    [
        ("write_file", '{"bytes_written": 0}', True),
        ("patch", '{"success": true}', True),
        ("patch", '{"bytes_written": 0}', False),
        ("t", '{"success": true}', False),
        ("patch", "x", False),
    ],
)
def test_what_changed_a_file(tool: str, result: str, expected: bool) -> None:
    assert is_file_change(tool, result) is expected
