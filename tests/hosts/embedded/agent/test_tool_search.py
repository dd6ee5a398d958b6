"""Tool search: behaviour that no case of `tests/conformance` covers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk import contract
from hermes_sdk.hosts.embedded.agent.tool_search import BRIDGES, ToolSearch, UnresolvedCall

BEHAVIOUR = contract.load("0.19.0").behaviour


def _tool(name: str, description: str = "", *parameters: str) -> dict[str, Any]:
    properties = {one: {"type": "string"} for one in parameters}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": {"properties": properties}},
    }


TOOLS = [
    _tool("todo", "Keep tasks"),
    _tool("issue_create", "Open a new issue", "title"),
    _tool("issue_close", "Close an issue", "number"),
    _tool("weather", "Tell the weather of a town", "town"),
]


def _search(setting: Any = None, context: int = 0, tools: list[dict[str, Any]] = TOOLS) -> ToolSearch:
    return ToolSearch(tools, setting, context, lambda name: None if name == "todo" else "mcp-x", BEHAVIOUR)


def _list_offered(*arguments: Any) -> list[str]:
    return [tool["function"]["name"] for tool in _search(*arguments).offered]


@pytest.mark.parametrize("setting", [{"enabled": "on"}, {"enabled": True}, {"threshold_pct": "x", "enabled": " ON "}])
def test_tool_search_can_be_enabled(setting: Any) -> None:
    assert _list_offered(setting) == ["todo", "tool_search", "tool_describe", "tool_call"]


@pytest.mark.parametrize("setting", [False, {"enabled": "off"}, {"enabled": False}, None, True, 7, {"enabled": "odd"}])
def test_few_tools_are_not_deferred(setting: Any) -> None:
    assert BRIDGES.isdisjoint(_list_offered(setting))


def test_tools_are_deferred_when_they_exceed_share_of_context() -> None:
    assert "tool_call" in _list_offered({"threshold_pct": 10}, 1000)
    assert "tool_call" not in _list_offered({"threshold_pct": 10}, 100_000)
    assert "tool_call" in _list_offered({"threshold_pct": -5}, 100_000)


def test_nothing_is_deferred_without_deferrable_tools() -> None:
    search = ToolSearch(TOOLS, {"enabled": "on"}, 0, lambda name: None, BEHAVIOUR)
    assert search.offered == TOOLS


@pytest.mark.parametrize(
    ("query", "names"),
    [("close issue", ["issue_close", "issue_create"]), ("town", ["weather"]), ("weat", ["weather"]), ("!", [])],
)
def test_tools_are_found_by_words_and_parts_of_names(query: str, names: list[str]) -> None:
    told = json.loads(_search({"enabled": "on"}).answer("tool_search", {"query": query}))
    assert [one["name"] for one in told["matches"]] == names
    assert {one["source"] for one in told["matches"]} <= {"mcp"}


values = st.none() | st.integers() | st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.text())


@given(st.dictionaries(st.sampled_from(["name", "arguments", "query", "limit"]), values))
def test_call_with_any_arguments_is_answered(args: dict[str, Any]) -> None:
    search = _search({"enabled": "on"})
    for bridge in ("tool_search", "tool_describe", "tool_call"):
        assert isinstance(json.loads(search.answer(bridge, args)), dict)


def test_call_accepts_arguments_in_any_form() -> None:
    for arguments, taken in (({"n": 1}, {"n": 1}), ('{"n": 1}', {"n": 1}), (None, {})):
        assert _search().resolve({"name": " weather ", "arguments": arguments}) == ("weather", taken)
    with pytest.raises(UnresolvedCall, match="not a deferrable tool"):
        _search().resolve({"name": "todo", "arguments": {}})
