"""The timeline shows the plugin, the effect and the related events of each event."""

from __future__ import annotations

import functools
import time
from pathlib import Path
from typing import Any

import pytest
from traces.stack import write_stack

from hermes_sdk import contract
from hermes_sdk.traces import Trace, play_in_process, read_scenario
from hermes_sdk.traces.timeline import Timeline, make_timeline

SCENARIOS = Path(__file__).parents[1] / "conformance" / "scenarios"


@functools.cache
def play_timeline(path: Path, release: str = contract.DEFAULT) -> Timeline:
    trace = play_in_process(read_scenario(path), "embedded", release)
    return make_timeline(trace.events, contract.load(release))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Timeline:
    return play_timeline(write_stack(tmp_path_factory.mktemp("stack")))


def did(timeline: Timeline) -> list[tuple[str, dict[str, list[str]]]]:
    """Return the verbs of each plugin at each step."""
    return [
        (
            f"{name} {subject}".rstrip(),
            {plugin: [row.effect.verb if row.effect else "" for row in rows] for plugin, rows in of.items()},
        )
        for _, name, subject, of in timeline.stack
    ]


def test_steps_show_effects_of_plugins(stack: Timeline) -> None:
    assert did(stack) == [
        ("on_session_start", {"second": ["raised"]}),
        ("pre_llm_call", {"first": ["injected"], "second": ["injected"]}),
        ("tool_request total", {"first": ["rewrote"]}),
        ("transform_tool_result total", {"second": ["rewrote"]}),
        ("tool_request total", {"first": ["rewrote"]}),
        ("pre_tool_call total", {"first": ["blocked"], "second": ["overruled"]}),
        ("transform_llm_output", {"second": ["rewrote"]}),
    ]


@pytest.mark.parametrize(
    ("release", "verbs"), [("0.19.0", ["overruled", "rewrote"]), ("0.22.2", ["rewrote", "rewrote"])]
)
def test_effective_request_middleware_depends_on_release(release: str, verbs: list[str], tmp_path: Path) -> None:
    scenario = write_stack(tmp_path)
    source = tmp_path / "second" / "__init__.py"
    nine = 'lambda **more: {"args": {"numbers": [9]}}'
    source.write_text(
        source.read_text().replace(
            "def register(ctx):\n", f"def register(ctx):\n    ctx.register_middleware('tool_request', {nine})\n"
        )
    )
    rows = play_timeline(scenario, release).rows
    assert [row.effect and row.effect.verb for row in rows if row.event["name"] == "tool_request"][:2] == verbs


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        ("call_blocked.yaml", {("hook", "pre_tool_call", "blocked")}),
        ("execution_short_circuited.yaml", {("middleware", "tool_execution", "answered")}),
        ("memory_of_a_plugin.yaml", {("memory", "prefetch", "injected")}),
        ("shell_hook_blocks.yaml", {("shell_hook", "pre_tool_call", "blocked")}),
        ("gateway_two_chats.yaml", {("gateway_hook", "command:watch", "blocked")}),
        ("one_tool.yaml", set()),
    ],
)
def test_effects_of_all_kinds_of_callbacks_are_found(scenario: str, expected: set[tuple[str, str, str]]) -> None:
    rows = play_timeline(SCENARIOS / scenario).rows
    assert {(row.event["kind"], row.event["name"], row.effect.verb) for row in rows if row.effect} >= expected


def test_tool_call_is_linked_to_its_result(stack: Timeline) -> None:
    by_order = {row.at: row for row in stack.rows}
    [asked] = [row for row in stack.rows if row.event["kind"] == "llm_request" and len(row.links) == 2]
    (label, ran), (_, sent) = asked.links
    assert label == "result of total"
    assert by_order[ran].event["kind"] == "tool"
    # The second call was blocked, so only the next request has its result.
    assert by_order[sent].event["kind"] == "llm_request"
    assert ("call of total", asked.at) in by_order[ran].links


def test_events_name_their_plugin(stack: Timeline) -> None:
    assert stack.plugins == ["first", "second"]
    of_host = {row.event["kind"] for row in stack.rows if not row.plugin}
    assert of_host == {"turn", "llm_request", "log"}


def test_trace_of_git_revision_has_timeline() -> None:
    """A real host can be a Git revision without a contract."""
    from hermes_sdk.traces.timeline import render_page

    event: dict[str, Any] = {
        "kind": "hook",
        "name": "of_tomorrow",
        "thread": "x",
        "t": 1,
        "end": 2,
        "returned": {"a": 1},
    }
    trace = Trace.of([event], host="real", release="git:abc", scenario="s")
    assert "of_tomorrow" in render_page(trace, "t")


MANY = range(10_000)
ASKED = {"kind": "llm_request", "name": "main", "returned": {"tool_calls": [{"name": "t"}]}}
AROUND = {"kind": "middleware", "name": "tool_execution", "arguments": {"tool_name": "t"}, "returned": 1}


@pytest.mark.parametrize(
    "events",
    [
        [
            {**ASKED, "returned": {"tool_calls": [{"name": "t"} for _ in MANY]}},
            *({"kind": "log", "name": "x"},) * 10_000,
        ],
        [{**ASKED, "name": f"lane {number}"} for number in MANY],
        [{"kind": "hook", "name": "pre_llm_call", "callback": f"p.f{number}"} for number in MANY],
        [{**AROUND, "depth": number} for number in MANY[:3_000]],
    ],
    ids=["calls without a tool", "lanes", "callbacks of one hook", "nested calls"],
)
def test_timeline_does_not_take_quadratic_time(events: list[dict[str, Any]]) -> None:
    made = [{"order": 1, "thread": "", "depth": 0, "arguments": {}, **one} for one in events]
    started = time.process_time()
    assert len(make_timeline(made, contract.load(contract.DEFAULT)).rows) == len(made)
    assert time.process_time() - started < 4
