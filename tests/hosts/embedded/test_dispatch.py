"""Tool calls outside of a turn (C16, C19, C21, D18 to D20, D30 to D33)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hosts.embedded.conftest import PLUGIN, MakeState, add_builtins, list_swallowed

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate
from hermes_sdk.hosts.embedded.dispatch import Dispatcher, ToolCall
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState

SCHEMA = {"parameters": {"properties": {"n": {"type": "integer"}}}}
TOOL_HOOKS = ("pre_tool_call", "post_tool_call", "transform_tool_result")
IDS: dict[str, Any] = {"task_id": "T", "session_id": "S", "tool_call_id": "C"}


class Bench:
    """Tool calls of a host, with a tool ``t`` that returns its arguments."""

    def __init__(self, state: HostState) -> None:
        self.state = state
        self.registrations = Registrations(state)
        self.dispatcher = Dispatcher(
            state,
            self.registrations,
            ApprovalGate(state, self.registrations.hooks, self.registrations.approval_transports),
        )
        self.fired: list[tuple[str, dict[str, Any]]] = []
        self.add("t", lambda args, **kwargs: json.dumps([args, kwargs]))

    def add(self, name: str, handler: Any) -> None:
        self.registrations.tools.register(PLUGIN, name=name, toolset="ts", schema=SCHEMA, handler=handler)

    def add_builtins(self) -> None:
        add_builtins(self.registrations.tools, self.state)

    def hook(self, name: str, callback: Any) -> None:
        self.registrations.hooks.register(PLUGIN, hook_name=name, callback=callback)

    def wrap(self, kind: str, callback: Any) -> None:
        self.registrations.middleware.register(PLUGIN, kind=kind, callback=callback)

    def on(self, hook: str, answer: Any = None) -> None:
        def callback(**arguments: Any) -> Any:
            arguments.pop("telemetry_schema_version", None)
            self.fired.append((hook, arguments))
            return answer

        self.hook(hook, callback)

    def call(self, tool: str, given: dict[str, Any] | None = None, **more: Any) -> Any:
        return self.dispatcher.call_tool(ToolCall(tool, given or {}, **more))


@pytest.fixture
def bench(state: HostState) -> Bench:
    return Bench(state)


@pytest.fixture(params=["0.19.0", "0.22.2"])
def either(request: pytest.FixtureRequest, make_state: MakeState) -> Bench:
    return Bench(make_state(request.param))


def test_arguments_are_coerced_and_ids_are_passed_to_handler(bench: Bench) -> None:
    assert json.loads(bench.call("t", {"n": "42"}, user_task="U", **IDS)) == [
        {"n": 42},
        {"task_id": "T", "session_id": "S", "user_task": "U"},
    ]
    assert json.loads(bench.call("t"))[1] == {"task_id": None, "session_id": None, "user_task": None}


def test_execute_code_tool_receives_enabled_tools(bench: Bench) -> None:
    bench.add("execute_code", bench.registrations.tools.entries["t"].handler)
    assert json.loads(bench.call("execute_code", enabled_tools=["a"], **IDS))[1] == {
        "task_id": "T",
        "session_id": "S",
        "enabled_tools": ["a"],
    }


def test_hooks_receive_arguments_of_release(either: Bench) -> None:
    for hook in TOOL_HOOKS:
        either.on(hook)
    either.call("t", {"n": "1"})
    facts = either.state.contract.hooks
    assert [(hook, sorted(arguments)) for hook, arguments in either.fired] == [
        (hook, list(facts[hook].always)) for hook in TOOL_HOOKS
    ]


def test_hooks_receive_coerced_arguments_empty_ids_and_outcome(bench: Bench) -> None:
    for hook in TOOL_HOOKS:
        bench.on(hook)
    result = bench.call("t", {"n": "1"}, task_id="T")
    before, after, transform = (arguments for _, arguments in bench.fired)
    ids = {"task_id": "T", "session_id": "", "tool_call_id": "", "turn_id": "", "api_request_id": ""}
    told = {"tool_name": "t", "args": {"n": 1}, **ids}
    ended = {"result": result, "status": "ok", "error_type": None, "error_message": None}
    for arguments in (after, transform):
        assert isinstance(arguments.pop("duration_ms"), int)
    assert before == {**told, "middleware_trace": []}
    assert after == {**told, **ended, "middleware_trace": []}
    assert transform == {**told, **ended}


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (json.dumps({"error": "bad"}), ("error", "tool_error", "bad")),
        (json.dumps({"error": {"code": 5}}), ("error", "tool_error", "{'code': 5}")),
        (json.dumps({"error": ""}), ("ok", None, None)),
        (json.dumps(["error"]), ("ok", None, None)),
        ("error: not JSON", ("ok", None, None)),
        ({"_multimodal": True, "content": [], "error": "bad"}, ("error", "tool_error", "bad")),
    ],
)
def test_status_is_read_from_result(bench: Bench, result: Any, outcome: tuple[Any, ...]) -> None:
    bench.add("r", lambda args, **kwargs: result)
    bench.on("post_tool_call")
    bench.call("r")
    [(_, told)] = bench.fired
    assert (told["status"], told["error_type"], told["error_message"]) == outcome


def test_in_place_changes_of_hook_reach_handler(bench: Bench) -> None:
    bench.hook("pre_tool_call", lambda args, **_: args.update(n="7"))
    assert json.loads(bench.call("t", {"n": "1"}))[0] == {"n": "7"}


def test_first_text_replaces_result_even_when_empty(either: Bench) -> None:
    for answer in ({"no": "text"}, "", "late"):
        either.on("transform_tool_result", answer)
    assert either.call("t") == ""
    assert len(either.fired) == 3


def test_unknown_tool_passes_through_hooks(either: Bench) -> None:
    either.on("pre_tool_call")
    either.on("post_tool_call")
    assert json.loads(either.call("nope")) == {"error": "Unknown tool: nope"}
    assert [hook for hook, _ in either.fired] == ["pre_tool_call", "post_tool_call"]


@pytest.mark.parametrize("name", ["todo", "memory", "session_search", "delegate_task"])
def test_tools_of_agent_loop_are_rejected_before_hooks(bench: Bench, name: str) -> None:
    bench.add_builtins()
    bench.on("pre_tool_call")
    assert json.loads(bench.call(name)) == {"error": f"{name} must be handled by the agent loop"}
    assert bench.fired == []


def test_unsupported_builtin_tool_raises_and_is_not_swallowed(bench: Bench) -> None:
    bench.add_builtins()
    bench.wrap("tool_execution", lambda next_call, **_: next_call())
    with pytest.raises(HermesSdkError, match="does not run the built-in tool 'cronjob'"):
        bench.call("cronjob", {})
    assert bench.state.swallowed == []


# -- directives


def test_first_valid_block_stops_call(bench: Bench) -> None:
    answers = ["no", {"action": "block"}, {"action": "BLOCK", "message": "m"}, {"decision": "block", "reason": "r"}]
    for answer in [*answers, {"action": "block", "message": "é no"}, {"action": "block", "message": "later"}]:
        bench.on("pre_tool_call", answer)
    bench.on("post_tool_call")
    bench.on("transform_tool_result")
    assert bench.call("t", {"n": "1"}) == '{"error": "é no"}'
    assert [hook for hook, _ in bench.fired] == ["pre_tool_call"] * 6 + ["post_tool_call"]
    told = bench.fired[-1][1]
    assert (told["status"], told["error_type"], told["error_message"]) == ("blocked", "plugin_block", "é no")
    assert (told["duration_ms"], told["result"]) == (0, '{"error": "é no"}')


@pytest.mark.parametrize(
    ("directive", "description", "rule"),
    [
        ({"message": "why"}, "why", "t"),
        ({}, "Plugin requires approval for t", "t"),
        ({"message": 5, "rule_key": "  keys "}, "Plugin requires approval for t", "keys"),
        ({"message": "why", "rule_key": " "}, "why", "t"),
    ],
)
def test_call_that_requires_approval_is_blocked_without_user(
    bench: Bench, caplog: pytest.LogCaptureFixture, directive: dict[str, Any], description: str, rule: str
) -> None:
    bench.on("pre_tool_call", {"action": "approve", **directive})
    bench.on("pre_tool_call", {"action": "block", "message": "too late"})
    assert json.loads(bench.call("t")) == {
        "error": f"BLOCKED: Tool 't' requires approval ({description}) but no interactive user or gateway is present to"
        " approve it. A plugin asked for an approval."
    }
    [record] = caplog.records
    assert record.name == "tools.approval"
    assert f"(pattern: plugin_rule:{rule}): {description} — " in record.message


# -- middleware


def test_middleware_rewrites_arguments_for_later_steps(bench: Bench) -> None:
    bench.wrap("tool_request", lambda **_: {"args": {"n": "2"}, "source": "me"})
    told: dict[str, Any] = {}

    def around(next_call: Any, **arguments: Any) -> Any:
        told.update(arguments)
        return next_call()

    bench.wrap("tool_execution", around)
    bench.on("pre_tool_call")
    bench.on("post_tool_call")
    assert json.loads(bench.call("t", {"n": "1"}, **IDS))[0] == {"n": "2"}
    for _, arguments in bench.fired:
        assert (arguments["args"], arguments["middleware_trace"]) == ({"n": "2"}, [{"source": "me"}])
    assert (told["args"], told["original_args"]) == ({"n": "2"}, {"n": 1})
    assert told["task_id"] == "T"


def test_each_hook_receives_its_own_copy_of_trace(bench: Bench) -> None:
    bench.wrap("tool_request", lambda **_: {"args": {}})
    bench.hook("pre_tool_call", lambda middleware_trace, **_: middleware_trace.clear())
    bench.on("post_tool_call")
    bench.call("t")
    assert bench.fired[0][1]["middleware_trace"] == [{"source": "plugin"}]


def test_result_returned_by_middleware_is_not_checked(bench: Bench) -> None:
    bench.wrap("tool_execution", lambda **_: None)
    assert bench.call("t") is None


def test_uncaught_exception_is_error_result(bench: Bench) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise LookupError("no wörds")

    def handler(args: Any, **kwargs: Any) -> Any:
        raise Mute

    bench.add("mute", handler)
    assert bench.call("mute") == '{"error": "[TOOL_ERROR] Error executing mute: no wörds"}'
    assert list_swallowed(bench.state) == [("tool mute", "LookupError: no wörds")]
