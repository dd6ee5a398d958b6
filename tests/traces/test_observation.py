"""Parts of a recorded session that a replay does not support are reported."""

from collections.abc import Mapping
from typing import Any

import pytest

from hermes_sdk.traces.observation import find_foreign_parts, find_terminal_obstacles

TURN = {"t": 1, "end": 9, "kind": "turn", "name": "chat", "thread": "MainThread", "returned": "hi"}


def _request(*tools: str) -> dict[str, Any]:
    body = {"messages": [], "tools": [{"type": "function", "function": {"name": name}} for name in tools]}
    return {"t": 2, "end": 3, "kind": "llm_request", "name": "main", "thread": "", "arguments": body}


def _broken_off(text: str | None) -> dict[str, Any]:
    answer = {"text": text, "tool_calls": [], "reasoning": None, "interrupts": True}
    return {**_request(), "returned": answer}


def _approval_request(surface: str) -> dict[str, Any]:
    return {"t": 4, "kind": "hook", "name": "pre_approval_request", "thread": "", "arguments": {"surface": surface}}


def test_session_with_tools_of_plugins_has_no_obstacles() -> None:
    answered = {"t": 2, "end": 3, "kind": "middleware", "name": "llm_execution", "thread": "", "arguments": {}}
    assert list(find_foreign_parts([TURN, _request("look_up")])) == []
    assert list(find_foreign_parts([TURN, answered])) == []
    assert list(find_foreign_parts([TURN, _broken_off(None)])) == []
    assert list(find_foreign_parts([{**TURN, "returned": None}])) == []
    assert list(find_terminal_obstacles((), [TURN, _request(), _approval_request("gateway")])) == []


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([TURN, {**_request(), "t": 12}], "turn 1 has no request to a model with an OpenAI-compatible API"),
        (
            [TURN, _request("look_up", "mcp__files__read")],
            "the agent has tools of MCP servers, such as mcp__files__read",
        ),
        ([TURN, _broken_off("One, two")], "turn 1 was stopped in the middle of the model's answer"),
        (
            [TURN, _request(), _approval_request("cli")],
            "Hermes asked for approval in the terminal, which a plugin observed",
        ),
    ],
)
def test_unsupported_parts_of_session_are_reported(events: list[Mapping[str, Any]], problem: str) -> None:
    (told,) = [*find_foreign_parts(events), *find_terminal_obstacles((), events)]
    assert told.startswith(problem)
    assert " Record " in told
