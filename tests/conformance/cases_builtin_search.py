"""Cases of statement C15: deferred plugin tools, and how a model calls them."""

import json

from conformance.case import case
from conformance.recorder import read_notes, recorder

from hermes_sdk.llm import call, say

PLUGIN = recorder("""
    given = lambda args, **kwargs: json.dumps(args)
    tool("notes_add", given, parameters={"type": "object", "properties": {"text": {"type": "string"}, "n": {"type": "integer"}}})
    tool("notes_find", given, parameters={"type": "object", "properties": {"words": {"type": "string"}}})
    tool("weather", given, parameters={"type": "object", "properties": {"town": {"type": "string"}}})
    watch("pre_tool_call", "post_tool_call", "transform_tool_result")
""")
OFFERED = {"platform_toolsets": {"cli": ["set", "todo"]}}
ON = {**OFFERED, "tools": {"tool_search": {"enabled": "on"}}}


def run_turn(host, *calls):
    """Run a turn, and return the offered tools, the results and the notes of the plugin, without ids."""
    host.llm.script(*(say("", one) for one in calls), "done")
    turn = host.chat("go")
    told = [[message["name"], message["content"]] for message in turn.messages if message["role"] == "tool"]
    noted = [[hook, values["tool_name"], values["args"], values.get("status")] for hook, values in read_notes(host)]
    return host.llm.requests[0].tools, told, noted


@case("C15", one=PLUGIN, config=ON)
def a_deferred_tool_is_found_and_called(host):
    if "tool_search" not in run_turn(host)[0]:
        return "not there"
    found = call("tool_search", query="notes find words"), call("tool_describe", name="notes_find")
    return run_turn(host, *found, call("tool_call", name="notes_add", arguments={"text": "x", "n": "5"}))


@case("C15", one=PLUGIN, config=ON)
def failed_tool_search_calls_explain_the_reason(host):
    return run_turn(
        host,
        call("tool_search", query="nothing"),
        call("tool_search", query=" "),
        call("tool_search", query="note", limit=1),
        call("tool_search", query="about", limit="x"),
        call("tool_describe", name="todo"),
        call("tool_describe", name=""),
        call("tool_describe", name="none"),
        call("tool_call", name="none", arguments={}),
        call("tool_call", name="todo", arguments={}),
        call("tool_call", name="tool_call", arguments={}),
        call("tool_call", arguments={}),
        call("tool_call", name="weather", arguments="{"),
        call("tool_call", name="weather", arguments=[1]),
        call("tool_call", name="weather"),
    )


NEEDING = recorder("""
    text = {"type": "string"}
    tool("needy", lambda args, **kwargs: json.dumps(args), parameters={"type": "object", "properties": {"a": text, "b": text}, "required": ["a", "b"]})
    tool("other", toolset="mcp-far")
""")


@case("C15", one=NEEDING, config=ON)
def missing_arguments_of_a_deferred_tool_are_reported_in_some_releases(host):
    host.llm.script(
        call("tool_search", query="zebra"),
        call("tool_call", name="needy", arguments={"b": "x"}),
        call("tool_call", name="needy", arguments={"a": None, "b": 1}),
        "done",
    )
    return [one.result.text for one in host.chat("hello").tool_calls]


@case(
    "C15",
    one=PLUGIN,
    config={**OFFERED, "tools": {"tool_search": {"enabled": "auto", "threshold_pct": 0.01}}},
)
def large_tool_definitions_are_deferred(host):
    return run_turn(host)[0]


@case("C15", one=PLUGIN, config={**OFFERED, "tools": {"tool_search": {"enabled": "auto"}}})
def small_tool_definitions_are_not_deferred(host):
    return run_turn(host)[0]


@case(
    "C15",
    one=PLUGIN,
    config={**OFFERED, "tools": {"tool_search": {"enabled": "on", "max_search_limit": 1}}},
)
def tool_search_respects_the_configured_limit(host):
    return run_turn(host, call("tool_search", query="notes", limit=9))[1]


@case("C15", one=PLUGIN, config=ON)
def deferred_tools_are_called_in_a_list_in_some_releases(host):
    return run_turn(host, call("tool_call", calls=[{"name": "notes_add", "arguments": {"text": "x"}}]))


@case("C15", one=NEEDING, config=ON)
def invalid_lists_of_deferred_calls_are_reported(host):
    entry = {"name": "needy", "arguments": {"a": "x", "b": "y"}}
    calls = [[], "[", [1], {"arguments": {}}, [{**entry, "name": "tool_call"}], [{**entry, "arguments": "{"}]]
    calls += [
        [{**entry, "arguments": 1}],
        [{**entry, "name": "read_file"}],
        json.dumps([entry]),
        [entry],
    ]
    return run_turn(
        host,
        call("tool_search", queries=[]),
        call("tool_search", queries=["a"] * 8),
        call("tool_describe", names=" "),
        call("tool_describe", names=[str(number) for number in range(11)]),
        call("tool_describe", names=["needy", "read_file", "none", "needy"]),
        call("tool_describe", names="needy"),
        *(call("tool_call", calls=one) for one in calls),
    )
