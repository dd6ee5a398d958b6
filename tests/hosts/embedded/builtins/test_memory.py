"""The tools that the agent loop keeps to itself: what no case of `tests/conformance` covers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hosts.embedded.conftest import make_side
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.builtins import BUILTINS, Turnside
from hermes_sdk.hosts.embedded.state import HostState


@pytest.fixture
def side(state: HostState) -> Turnside:
    """A session on an empty home."""
    return make_side(state, session_id="session", turn_id="first")


def _ask(side: Turnside, tool: str, **args: Any) -> Any:
    return json.loads(BUILTINS[tool].run(args, side))


def test_a_model_that_goes_on_is_told_to_stop(side: Turnside) -> None:
    errors = [_ask(side, "memory", action="remove", old_text="none")["error"] for _ in range(5)]
    assert ["current_entries" in error for error in errors] == [True, True, True, False, False]
    assert errors[-1].startswith("Memory consolidation failed 5 times this turn.")


def test_a_change_makes_it_count_anew(side: Turnside) -> None:
    for _ in range(3):
        _ask(side, "memory", action="remove", old_text="none")
    assert _ask(side, "memory", action="add", content="x")["success"]
    assert "current_entries" in _ask(side, "memory", action="remove", old_text="none")


def test_an_entry_is_meant_by_a_part_of_it(side: Turnside) -> None:
    for content in ("one cat", "two cats"):
        _ask(side, "memory", action="add", content=content)
    assert _ask(side, "memory", action="remove", old_text="cat")["matches"] == ["one cat", "two cats"]
    assert _ask(side, "memory", action="replace", old_text="cats", content="three dogs")["success"]
    assert (side.home / "memories" / "MEMORY.md").read_text() == "one cat\n§\nthree dogs"


entries = st.text(st.characters(exclude_characters="§", exclude_categories=["Cs", "Zs", "Cc", "Zl", "Zp"]), min_size=1)


@given(st.lists(entries, max_size=6, unique=True))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_kept_is_found_again(side: Turnside, facts: list[str]) -> None:
    (side.home / "memories" / "USER.md").unlink(missing_ok=True)
    for fact in facts:
        assert _ask(side, "memory", target="user", action="add", content=fact)["success"]
    kept = (side.home / "memories" / "USER.md").read_text() if facts else ""
    assert [entry for entry in kept.split("\n§\n") if entry] == facts


@given(st.lists(st.dictionaries(st.sampled_from(["id", "content", "status", "x"]), st.text(max_size=3)), max_size=4))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tasks_are_counted(side: Turnside, todos: list[dict[str, str]]) -> None:
    for merge in (False, True):
        told = _ask(side, "todo", todos=todos, merge=merge)
        assert told["summary"]["total"] == len(told["todos"])
        assert sum(told["summary"].values()) == 2 * len(told["todos"])
        assert len({todo["id"] for todo in told["todos"]}) == len(told["todos"])
