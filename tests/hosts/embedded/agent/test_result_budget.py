"""The size of a tool's result as the model gets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.agent.result_budget import Budget, Storage, fit_messages, limit_result

SMALL = Budget(2000, 3000)


def _messages(*contents: str) -> list[dict[str, Any]]:
    return [{"content": content, "tool_call_id": f"call/{place}"} for place, content in enumerate(contents)]


@pytest.mark.parametrize(
    ("context", "budget"),
    [(1000, (8000, 16000)), (65_536, (39321, 78643)), (200_000, (100_000, 200_000)), (10**9, (100_000, 200_000))],
)
def test_a_small_model_gets_less(context: int, budget: tuple[int, int]) -> None:
    assert Budget.for_context(context) == budget


def test_a_long_result_goes_to_a_file_that_the_model_can_read(tmp_path: Path) -> None:
    text = "line\n" * 500
    shown = limit_result(text, "t", "call/1", SMALL, Storage(tmp_path / "hermes-results"))
    file = tmp_path / "hermes-results" / "call_1.txt"
    assert file.read_text() == text
    assert f"saved to: {file}\n" in shown
    assert "(2,500 characters, 2.4 KB)" in shown
    assert shown.endswith("line\n\n...\n</persisted-output>")


def test_without_a_terminal_the_rest_is_lost() -> None:
    shown = limit_result("x" * 2001, "t", "call", SMALL, Storage(None))
    assert shown == "x" * 1500 + (
        "\n\n[Truncated: tool response was 2,001 chars. Full output could not be saved to sandbox.]"
    )


def test_a_result_that_cannot_be_put_aside_is_cut(tmp_path: Path) -> None:
    (tmp_path / "hermes-results").write_text("in the way")
    assert "could not be saved" in limit_result("x" * 2001, "t", "call", SMALL, Storage(tmp_path / "hermes-results"))


@pytest.mark.parametrize(("tool", "length"), [("t", 2000), ("read_file", 10**6)])
def test_what_is_short_or_read_from_a_file_stays(tool: str, length: int) -> None:
    assert limit_result("x" * length, tool, "call", SMALL, Storage(None)) == "x" * length


def test_the_longest_results_of_an_answer_go_first() -> None:
    messages = _messages("a" * 1900, "b" * 1000, "c" * 1800)
    fit_messages(messages, Budget(2000, 4300), Storage(None))
    assert [message["content"][0] + str("Truncated" in message["content"]) for message in messages] == [
        *("aTrue", "bFalse", "cTrue")
    ]
    assert json.dumps(messages) == json.dumps(_refitted(messages))


def _refitted(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    fit_messages(messages, Budget(2000, 10_000), Storage(None))
    return messages


@given(st.lists(st.text(max_size=2500), max_size=4))
@settings(max_examples=25)
def test_fitting_never_makes_results_longer_than_they_were(texts: list[str]) -> None:
    messages = _messages(*texts)
    fit_messages(messages, SMALL, Storage(None))
    before = sum(map(len, texts))
    assert before <= SMALL.answer or sum(len(one["content"]) for one in messages) <= before + 100 * len(texts)
