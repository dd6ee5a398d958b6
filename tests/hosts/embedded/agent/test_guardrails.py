"""Messages to the model about repeated calls."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hosts.embedded.conftest import MakeState

from hermes_sdk import contract
from hermes_sdk.hosts.embedded.agent.guardrails import Guardrails
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.results import find_failure, is_file_change
from hermes_sdk.hosts.interface import NotSupported

NEW = contract.load("0.19.0").behaviour
ERROR = json.dumps({"error": "no"})


def _loop(state: HostState, settings: Any, *calls: tuple[str, dict[str, Any], Any]) -> list[str]:
    rails = Guardrails(settings, state, "cli")
    return [rails.review_result(*call).partition("[Tool loop ")[2].partition(";")[0] for call in calls]


def test_repeated_failures_are_reported_to_model(state: HostState) -> None:
    calls = [("t", {"n": number}, ERROR) for number in (1, 1, 2, 3)]
    assert _loop(state, {}, *calls) == [
        "",
        "warning: repeated_exact_failure_warning",
        "warning: same_tool_failure_warning",
        "warning: same_tool_failure_warning",
    ]
    assert _loop(state, {"warnings_enabled": "off"}, *calls) == [""] * 4
    assert _loop(state, {"warn_after": {"same_tool_failure": 4, "exact_failure": "x"}}, *calls)[1:] == [
        *("warning: repeated_exact_failure_warning", "", "warning: same_tool_failure_warning")
    ]


def test_success_resets_failure_count(state: HostState) -> None:
    calls = [("t", {}, ERROR), ("t", {"n": 1}, "fine"), ("t", {}, "fine"), ("t", {}, ERROR)]
    assert _loop(state, {}, *calls) == [""] * 4


def test_repeated_reads_are_reported_to_model(state: HostState) -> None:
    calls = [("read_file", {"path": "a"}, '{"a": 1}'), ("read_file", {"path": "a"}, '{ "a":1}')]
    assert _loop(state, {}, *calls) == ["", "warning: idempotent_no_progress_warning"]
    assert _loop(state, {}, *(("t", {}, "same") for _ in range(3))) == [""] * 3


STOPS = "stop a turn whose tool calls repeat without progress"


def test_call_that_hermes_would_block_is_not_supported(state: HostState) -> None:
    rails = Guardrails({"hard_stop_enabled": True, "hard_stop_after": {"exact_failure": 2}}, state, "cli")
    for _ in range(2):
        rails.check_call("t", {"n": 1})
        rails.review_result("t", {"n": 1}, ERROR)
    with pytest.raises(NotSupported, match=STOPS):
        rails.check_call("t", {"n": 1})
    rails.check_call("t", {"n": 2})


def test_failure_that_would_end_turn_is_not_supported(state: HostState) -> None:
    rails = Guardrails({"hard_stop_enabled": True, "hard_stop_after": {"same_tool_failure": 2}}, state, "cli")
    rails.review_result("t", {"n": 1}, ERROR)
    with pytest.raises(NotSupported, match=STOPS):
        rails.review_result("t", {"n": 2}, ERROR)


@pytest.mark.parametrize(("release", "stops"), [("0.20.2", False), ("0.22.2", True)])
def test_failures_of_unattended_turn_are_not_supported_on_later_releases(
    make_state: MakeState, release: str, stops: bool
) -> None:
    rails = Guardrails({}, make_state(release), "telegram")
    for number in range(7):
        rails.review_result("t", {"n": number}, ERROR)
    with pytest.raises(NotSupported, match=STOPS) if stops else contextlib.nullcontext():
        rails.review_result("t", {"n": 7}, ERROR)


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
def test_failures_are_recognized(tool: str, result: Any, expected: bool) -> None:
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
def test_file_changes_are_recognized(tool: str, result: str, expected: bool) -> None:
    assert is_file_change(tool, result) is expected
