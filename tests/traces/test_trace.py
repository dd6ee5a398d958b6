"""Traces: order, format, normalisation and comparison."""

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk import traces
from hermes_sdk.errors import UsageError
from hermes_sdk.traces import ExpectedDifference, Trace, compare, expected_differences, format_value, parse_trace

MAIN = {"thread": "MainThread"}


def event(name: str, t: int, end: int | None = None, **more: Any) -> dict[str, Any]:
    ended = {} if end is None else {"end": end}
    return {"t": t, "kind": "hook", "name": name, **MAIN, "arguments": {}, **ended, **more}


def trace(*events: dict[str, Any], host: str = "embedded", problems: tuple[str, ...] = ()) -> Trace:
    return Trace.of(events, host=host, release="0.19.0", scenario="s.yaml", problems=problems)


def normalise_trace(*events: dict[str, Any], host: str = "embedded") -> Trace:
    return trace(*events, host=host).normalise({})


def test_events_have_order_and_depth() -> None:
    made = trace(
        event("a", 1, 9, kind="middleware"),
        event("b", 2, 4, kind="middleware"),
        event("c", 3, 3, kind="tool"),
        event("d", 5, 6),
        event("beside", 5, 7, thread="pool"),
        event("e", 10, 11),
    )
    assert [(one["order"], one["name"], one["depth"]) for one in made.events] == [
        (1, "a", 0),
        (2, "b", 1),
        (3, "c", 2),
        (4, "d", 1),
        (5, "beside", 0),
        (6, "e", 0),
    ]


def test_unfinished_call_contains_later_events() -> None:
    made = trace(event("hangs", 1), event("log", 2, kind="log"), event("register_hook", 3, kind="register"))
    assert [one["depth"] for one in made.events] == [0, 1, 1]


def test_turns_have_no_callback() -> None:
    made = trace(event("chat", 1, 2, kind="turn", callback="x"), event("a", 3, 4, callback="y"))
    assert [one.get("callback") for one in made.events] == [None, "y"]


def test_trace_can_be_written_and_read() -> None:
    made = trace(event("ü", 1, 2, returned={"a": [1, None]}), problems=("p\nq",))
    lines = list(made.lines())
    assert json.loads(lines[0])["schema"] == "hermes-sdk.trace/1"
    assert len(lines) == 2
    assert parse_trace("\n".join(lines), "it") == made


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "hermes-sdk.show/1"}', '{"schema": "hermes-sdk.trace/1"}', "x"]
)
def test_text_that_is_not_a_trace_is_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="schema hermes-sdk"):
        parse_trace(text, "it")


SESSION = "20260102_030405_abcdef"
UUID = "01234567-89ab-cdef-0123-456789abcdef"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"session_id": SESSION, "again": SESSION}, {"session_id": "<session 1>", "again": "<session 1>"}),
        (["20260102_030405_aaaaaa", SESSION], ["<session 1>", "<session 2>"]),
        (
            [{"description": "/tmp or 20260102_030405_aaaaaa"}, SESSION],
            [{"description": "<tmp> or 20260102_030405_aaaaaa"}, "<session 1>"],
        ),
        (f"{SESSION}:{UUID}:0a1b2c3d:api:1", "<session 1>:<uuid 1>:<turn 1>:api:1"),
        ("sa-0-0a1b2c3d and deleg_0a1b2c3d", "<subagent 1> and <delegation 1>"),
        ("tile_20260102_030405_0a1b2c3d.png", "tile_<stamp 1>.png"),
        ("http://127.0.0.1:4321/v1", "http://127.0.0.1:<port>/v1"),
        ("<function f at 0x7f00aa11bb22>", "<function f at <address>>"),
        ("at 2026-01-02T03:04:05.678Z", "at <time>"),
        ("shell hook timed out after 1.01s (event=x)", "shell hook timed out after <time> (event=x)"),
        (
            {"started_at": 1.5, "duration_ms": 3, "ended_at": None},
            {"started_at": "<float>", "duration_ms": "<int>", "ended_at": None},
        ),
        ({"/tmp/home/x": "/tmp/home and /tmp"}, {"<home>/x": "<home> and <tmp>"}),
        ("0a1b2c3d stays, and 1.5 too", "0a1b2c3d stays, and 1.5 too"),
        (True, True),
    ],
)
def test_volatile_values_are_replaced(value: Any, expected: Any) -> None:
    made = trace(event("a", 1, 2, arguments={"v": value}, thread="Thread-3 (run)"))
    [one] = made.normalise({"/tmp": "<tmp>", "/tmp/home": "<home>"}).events
    assert one == {
        "order": 1,
        "depth": 0,
        "kind": "hook",
        "name": "a",
        "thread": "Thread",
        "arguments": {"v": expected},
    }


def test_equal_traces_have_no_differences() -> None:
    one = event("a", 1, 2, arguments={"v": [1, {"x": None}]})
    assert compare(normalise_trace(one), normalise_trace({**one, "t": 5, "end": 6}, host="real")) == []


@pytest.mark.parametrize(
    ("left", "right", "path", "values"),
    [
        ({"v": 1}, {"v": 2}, "arguments.v", (1, 2)),
        ({"v": 1}, {"v": 1.0}, "arguments.v", (1, 1.0)),
        ({"v": 1}, {"v": True}, "arguments.v", (1, True)),
        ({"v": [1, {"x": 2}]}, {"v": [1, {"x": 3}]}, "arguments.v[1].x", (2, 3)),
        ({"v": [1]}, {"v": [1, 2]}, "arguments.v", ([1], [1, 2])),
    ],
)
def test_difference_has_path_and_values(left: Any, right: Any, path: str, values: tuple[Any, Any]) -> None:
    [one] = compare(
        normalise_trace(event("a", 1, 2, arguments=left)), normalise_trace(event("a", 1, 2, arguments=right))
    )
    assert (one.event, one.orders, one.path) == ("hook a", (1, 1), path)
    assert (one.left, one.right) == values
    assert one.as_json() == {
        "thread": "MainThread",
        "event": "hook a",
        "orders": [1, 1],
        "path": path,
        "left": values[0],
        "right": values[1],
    }


def test_missing_value_is_difference() -> None:
    [one] = compare(normalise_trace(event("a", 1, 2, arguments={"v": None})), normalise_trace(event("a", 1, 2)))
    assert one.as_json().keys() == {"thread", "event", "orders", "path", "left"}
    assert (format_value(one.left), format_value(one.right)) == ("null", "nothing")


def test_missing_events_do_not_shift_comparison_of_others() -> None:
    left = normalise_trace(event("a", 1, 1), event("b", 2, 2), event("c", 3, 3, arguments={"v": 1}))
    right = normalise_trace(event("a", 1, 1), event("c", 3, 3, arguments={"v": 2}), event("d", 4, 4))
    assert [(one.event, one.orders, one.path) for one in compare(left, right)] == [
        ("hook b", (2, None), ""),
        ("hook c", (3, 2), "arguments.v"),
        ("hook d", (None, 3), ""),
    ]


def test_order_between_threads_is_ignored() -> None:
    one, other = event("a", 1, 1), event("b", 2, 2, thread="mem-sync")
    assert compare(normalise_trace(one, other), normalise_trace({**other, "t": 0}, {**one, "t": 5})) == []
    assert compare(normalise_trace(one, event("b", 2, 2)), normalise_trace(event("b", 1, 1), event("a", 2, 2))) != []


def test_typing_event_count_is_ignored() -> None:
    sent = event("send", 1, 1, kind="adapter")
    typing = [event(name, t, kind="adapter") for t, name in enumerate(("send_typing", "stop_typing"))]
    assert compare(normalise_trace(*typing, sent), normalise_trace(sent)) == []
    assert compare(normalise_trace(sent), normalise_trace()) != []


def test_calls_in_thread_pool_are_compared_separately() -> None:
    one, other = (
        event("post_tool_call", 1, 1, thread=f"Pool-0_{n}", arguments={"tool_call_id": n}) for n in ("x", "y")
    )
    assert compare(normalise_trace(one, other), normalise_trace(other, one)) == []


def test_depth_is_compared() -> None:
    left = normalise_trace(event("a", 1, 4), event("b", 2, 3))
    right = normalise_trace(event("a", 1, 1), event("b", 2, 3))
    assert [one.path for one in compare(left, right)] == ["depth"]


def test_expected_difference_applies_only_when_sibling_keys_match() -> None:
    def of(text: str, role: str) -> Trace:
        return normalise_trace(event("a", 1, 1, arguments={"messages": [{"role": role, "content": text}]}))

    excepted = [ExpectedDifference("content", "plain", "why", {"role": ["system", "developer"]})]
    assert compare(of("one", "system"), of("two", "system"), excepted) == []
    assert compare(of("one", "user"), of("two", "user"), excepted) != []
    assert compare(of("one", "system"), of("one", "user"), excepted) != []


def test_differences_are_expected_only_between_kinds_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (event("a", 1, 1, arguments={"approx_input_tokens": number}) for number in (1, 2))
    assert compare(normalise_trace(one), normalise_trace(other)) != []
    assert compare(normalise_trace(one), normalise_trace(other, host="real")) == []


def test_missing_argument_is_not_an_expected_difference() -> None:
    left = normalise_trace(event("a", 1, 1, arguments={"approx_input_tokens": 1}))
    assert [one.path for one in compare(left, normalise_trace(event("a", 1, 1), host="real"))] == [
        "arguments.approx_input_tokens"
    ]


def test_each_expected_difference_has_reason() -> None:
    assert all(one.why.endswith(".") for one in expected_differences())


def test_lines_match_published_schema() -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads(Path(traces.__file__).with_name("trace.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    made = trace(
        event("a", 1, 2, callback="m.f", returned=None),
        event("b", 3, 4, raised="ValueError: x"),
        event("main", 5, kind="llm_request", thread="", returned={"text": "x"}),
        event("WARNING", 6, kind="log", logger="l", message="m"),
    )
    for one in (made, made.normalise({})):
        for line in one.lines():
            Draft202012Validator(schema).validate(json.loads(line))
    assert not Draft202012Validator(schema).is_valid({"order": 1})


def test_trace_can_contain_unicode_line_separators() -> None:
    made = trace(event("a", 1, 2, returned="one\u2028two\x85three\u2029four"))
    assert parse_trace("\n".join(made.lines()), "it") == made


def test_nan_is_equal_to_itself() -> None:
    left, right = (trace(event("a", 1, 2, returned=float("nan"))) for _ in range(2))
    assert compare(left, right) == []
    assert len(compare(left, trace(event("a", 1, 2, returned=0.0)))) == 1
