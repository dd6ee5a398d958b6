"""Tools of the agent loop: behaviour that no case of `tests/conformance` covers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hosts.embedded.conftest import make_tool_context
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.builtins import BUILTINS, ToolContext
from hermes_sdk.hosts.embedded.state import HostState


@pytest.fixture
def context(state: HostState) -> ToolContext:
    """Return the tool context of a session with an empty home."""
    return make_tool_context(state, session_id="session", turn_id="first")


def _ask(context: ToolContext, tool: str, **args: Any) -> Any:
    return json.loads(BUILTINS[tool].run(args, context))


def test_repeated_failures_are_answered_with_advice_to_stop(context: ToolContext) -> None:
    errors = [_ask(context, "memory", action="remove", old_text="none")["error"] for _ in range(5)]
    assert ["current_entries" in error for error in errors] == [True, True, True, False, False]
    assert errors[-1].startswith("Memory consolidation failed 5 times this turn.")


def test_successful_change_resets_failure_count(context: ToolContext) -> None:
    for _ in range(3):
        _ask(context, "memory", action="remove", old_text="none")
    assert _ask(context, "memory", action="add", content="x")["success"]
    assert "current_entries" in _ask(context, "memory", action="remove", old_text="none")


def test_entry_is_found_by_part_of_text(context: ToolContext) -> None:
    for content in ("one cat", "two cats"):
        _ask(context, "memory", action="add", content=content)
    assert _ask(context, "memory", action="remove", old_text="cat")["matches"] == ["one cat", "two cats"]
    assert _ask(context, "memory", action="replace", old_text="cats", content="three dogs")["success"]
    assert (context.state.home.path / "memories" / "MEMORY.md").read_text() == "one cat\n§\nthree dogs"


entries = st.text(st.characters(exclude_characters="§", exclude_categories=["Cs", "Zs", "Cc", "Zl", "Zp"]), min_size=1)


@given(st.lists(entries, max_size=6, unique=True))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_stored_facts_are_found(context: ToolContext, facts: list[str]) -> None:
    (context.state.home.path / "memories" / "USER.md").unlink(missing_ok=True)
    for fact in facts:
        assert _ask(context, "memory", target="user", action="add", content=fact)["success"]
    kept = (context.state.home.path / "memories" / "USER.md").read_text() if facts else ""
    assert [entry for entry in kept.split("\n§\n") if entry] == facts


@given(st.lists(st.dictionaries(st.sampled_from(["id", "content", "status", "x"]), st.text(max_size=3)), max_size=4))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_todo_summary_counts_any_tasks(context: ToolContext, todos: list[dict[str, str]]) -> None:
    for merge in (False, True):
        told = _ask(context, "todo", todos=todos, merge=merge)
        assert told["summary"]["total"] == len(told["todos"])
        assert sum(told["summary"].values()) == 2 * len(told["todos"])
        assert len({todo["id"] for todo in told["todos"]}) == len(told["todos"])
