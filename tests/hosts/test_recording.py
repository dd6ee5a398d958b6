"""What the hosts record of a plugin's callbacks."""

import asyncio
import contextlib
import copy
import functools
import inspect
import json
import logging
import threading
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.in_worker.snapshots import plain


def recorded(callback, *args, kind="hook", **kwargs):
    recording = Recording(keep=True)
    recording.call(kind, "x", callback, args, kwargs)
    [event] = recording.events
    return event


def remember(**kwargs):
    return {"context": "yes"}


def test_a_call_is_an_event() -> None:
    event = recorded(remember, session_id="s")
    assert event.pop("end") >= event.pop("t")
    assert event == {
        "kind": "hook",
        "name": "x",
        "thread": threading.current_thread().name,
        "callback": f"{__name__}.remember",
        "arguments": {"session_id": "s"},
        "returned": {"context": "yes"},
    }


def test_arguments_are_those_from_before_the_call() -> None:
    assert recorded(lambda args: args.clear(), args={"a": [1]})["arguments"] == {"args": {"a": [1]}}


@pytest.mark.parametrize(
    ("kind", "expected"), [("tool", {"args": 1}), ("command", {"raw_args": 1}), ("memory", {"query": 1})]
)
def test_what_comes_by_position_has_a_name(kind: str, expected: dict[str, int]) -> None:
    assert recorded(lambda query: None, 1, kind=kind)["arguments"] == expected


def test_a_wrong_call_is_recorded_too() -> None:
    recording = Recording(keep=True)
    with pytest.raises(TypeError):
        recording.call("memory", "x", lambda query: None, (1, 2), {})
    [event] = recording.events
    assert event["arguments"] == {"query": 1, "0": 2}
    assert event["raised"].startswith("TypeError: ")


def test_what_ends_the_process_is_recorded_on_its_way() -> None:
    recording = Recording(keep=True)

    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        recording.call("hook", "x", leave, (), {})
    assert recording.events[0]["raised"] == "SystemExit: 3"
    assert "returned" not in recording.events[0]


def test_calls_are_in_the_order_in_which_they_began() -> None:
    recording = Recording(keep=True)
    inner = recording.wrap("tool", "inner", lambda args: "done")
    recording.call("middleware", "outer", lambda: inner({}), (), {})
    outer, inner = recording.events
    assert (outer["name"], inner["name"]) == ("outer", "inner")
    assert outer["t"] <= inner["t"] <= inner["end"] <= outer["end"]


def test_a_coroutine_is_recorded_when_it_is_awaited() -> None:
    recording = Recording(keep=True)

    async def tool(args: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return "done"

    wrapped = recording.wrap("tool", "t", tool)
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped({})) == "done"
    assert recording.events[0]["returned"] == "done"


def test_a_coroutine_that_nobody_awaits_is_named_after_the_plugins_function() -> None:
    async def lost(args: dict[str, Any]) -> None: ...

    coroutine = Recording(keep=True).wrap("tool", "t", lost)({})
    assert coroutine.__qualname__.endswith("lost")
    inspect.getcoroutinelocals(coroutine)["coroutine"].close()
    coroutine.close()


def test_a_hooks_coroutine_is_handed_on_as_it_is() -> None:
    async def hook() -> None: ...

    recording = Recording(keep=True)
    coroutine = recording.call("hook", "h", hook, (), {})
    assert coroutine.cr_code is hook.__code__
    coroutine.close()
    assert recording.events[0]["returned"] == {"__type__": "coroutine"}


def test_a_section_has_its_own_calls_and_leaves_nothing_behind() -> None:
    recording = Recording()
    hook = recording.wrap("hook", "h", lambda n: n)
    hook(n=1)
    with recording.section() as section:
        hook(n=2)
    hook(n=3)
    assert [event["returned"] for event in section.events] == [2]
    assert recording.events == []
    assert not recording.active


def test_a_recording_that_keeps_has_the_events_of_its_sections_too() -> None:
    recording = Recording(keep=True)
    hook = recording.wrap("hook", "h", lambda n: n)
    hook(n=1)
    with recording.section() as section:
        hook(n=2)
    recording.add("log", "host", message="three")
    assert [event["returned"] for event in section.events] == [2]
    assert [event.get("returned", event.get("message")) for event in recording.events] == [1, 2, "three"]


class Tool:
    """A callable object."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, args: dict[str, int], *, task_id: str = "") -> str:
        self.calls += 1
        return "called"

    def method(self, args: dict[str, int]) -> str:
        return "method"


def function(args: dict[str, int], /, *, task_id: str = "") -> str:
    """A function."""
    return task_id


@pytest.mark.parametrize("callback", [function, Tool(), Tool().method, functools.partial(function, {}), len, str.upper])
def test_a_wrapped_callback_looks_as_it_did(callback: Any) -> None:
    wrapped = Recording().wrap("tool", "t", callback)
    for look in (
        repr,
        type.__instancecheck__.__get__(type(callback)),
        inspect.signature,
        inspect.isfunction,
        inspect.ismethod,
        inspect.iscoroutinefunction,
        inspect.getdoc,
        callable,
        hash,
        lambda one: getattr(one, "__name__", None),
        lambda one: getattr(one, "__module__", None),
        lambda one: getattr(one, "__globals__", {}).get("__name__"),
    ):
        assert look(wrapped) == look(callback)
    assert wrapped == callback
    assert callback == wrapped


def test_what_a_host_notes_on_a_wrapped_callback_is_noted_on_the_callback() -> None:
    tool = Tool()
    wrapped = Recording().wrap("tool", "t", tool)
    wrapped.limit = 3
    assert tool.limit == wrapped.limit == 3  # type: ignore[attr-defined]
    assert wrapped({}) == "called"
    assert tool.calls == 1


def test_a_copy_of_a_wrapped_method_is_the_copys_method() -> None:
    tool = Tool()
    recording = Recording(keep=True)
    tool.method = recording.wrap("memory", "method", tool.method)  # type: ignore[method-assign]
    copied = copy.deepcopy(tool)
    assert copied.method.__self__ is copied  # type: ignore[attr-defined]
    assert copied.method({}) == "method"
    assert len(recording.events) == 1


@pytest.mark.parametrize("value", [None, "no callback", 3])
def test_what_cannot_be_called_is_not_wrapped(value: Any) -> None:
    assert Recording().wrap("hook", "h", value) is value


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    tag: Colour = Colour.RED


class Broken:
    model_fields = ("one",)

    @property
    def one(self) -> int:
        raise RuntimeError("not now")


class Model:
    model_fields = ("a", "b")
    a = 1
    b = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, (2,)), [1, [2]]),
        ({2, 1}, [1, 2]),
        ({1: {None: "x"}}, {"1": {"null": "x"}}),
        ({(1, 2): 3}, {"(1, 2)": 3}),
        (Point(1), {"__type__": "Point", "x": 1, "tag": {"__type__": "Colour", "value": "red"}}),
        (
            SimpleNamespace(a=[SimpleNamespace()]),
            {"__type__": "SimpleNamespace", "a": [{"__type__": "SimpleNamespace"}]},
        ),
        (Model(), {"__type__": "Model", "a": 1, "b": None}),
        (Broken(), {"__type__": "Broken"}),
        (ValueError("no"), {"__type__": "ValueError", "text": "no"}),
        (function, {"__type__": "function", "name": "function"}),
        (Tool, {"__type__": "type", "name": "Tool"}),
        (threading.Lock(), {"__type__": "lock"}),
        (b"\0", {"__type__": "bytes"}),
    ],
)
def test_values_as_json(value: object, expected: object) -> None:
    assert plain(value) == expected


def test_a_value_that_contains_itself_ends() -> None:
    value: list[Any] = [1]
    value.append(value)
    assert plain({"v": value}) == {"v": [1, {"__type__": "list"}]}


def test_a_tree_whose_nodes_know_their_parent_is_told_once() -> None:
    root: dict[str, Any] = {}
    root["children"] = [{"parent": root} for _ in range(20)]
    assert plain(root) == {"children": [{"parent": {"__type__": "dict"}}] * 20}


def test_nodes_that_all_know_each_other_are_told_in_bounds() -> None:
    nodes: list[list[Any]] = [[] for _ in range(20)]
    for node in nodes:
        node += nodes
    assert plain(nodes)[0][0] == {"__type__": "list"}
    assert len(json.dumps(plain(nodes))) < 10_000_000


class Nameless:
    """Has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("not now")


class RaisingList(list[int]):
    def __iter__(self) -> Any:
        raise RuntimeError("not now")


class RaisingDict(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("not now")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({Nameless()}, "set"),
        (frozenset([Nameless()]), "frozenset"),
        (RaisingList([1]), "RaisingList"),
        (RaisingDict(a=1), "RaisingDict"),
        ({Nameless(): 1}, "dict"),
    ],
)
def test_a_value_that_raises_neither_stops_the_callback_nor_hides_the_rest(value: object, expected: str) -> None:
    event = recorded(lambda value, other: "done", value=value, other=1)
    assert event["arguments"] == {"value": {"__type__": expected}, "other": 1}
    assert event["returned"] == "done"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_json_stays_what_it_is(value: object) -> None:
    assert plain(value) == value
    json.dumps(plain(value))


@pytest.mark.parametrize(
    ("logger", "level", "kept"),
    [
        ("hermes_cli.plugins", "WARNING", True),
        ("hermes_cli.plugins", "INFO", False),
        ("tools.registry", "WARNING", False),
        ("tools.registry", "ERROR", True),
        ("a.plugin", "ERROR", False),
    ],
)
def test_what_the_host_warns_of_is_an_event(logger: str, level: str, kept: bool) -> None:
    recording = Recording(keep=True)
    record = logging.LogRecord(logger, getattr(logging, level), "", 0, "careful", None, None)
    recording.log(record, "careful")
    found = [(event["kind"], event["name"], event["logger"], event["message"]) for event in recording.events]
    assert found == [("log", level, logger, "careful")] * kept


def test_threads_do_not_lose_each_others_calls() -> None:
    recording = Recording(keep=True)
    hook = recording.wrap("hook", "h", lambda n: n)
    threads = [threading.Thread(target=lambda n=n: [hook(n=n) for _ in range(50)], name=f"t{n}") for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recording.events) == 200
    assert all(event["thread"] == f"t{event['returned']}" for event in recording.events)


def test_a_callback_that_does_not_return_is_named_with_the_line_it_stands_at() -> None:
    recording = Recording(keep=True)
    entered, done = threading.Event(), threading.Event()

    def hang() -> None:
        entered.set()
        done.wait()

    thread = threading.Thread(target=recording.call, args=("hook", "pre_llm_call", hang, (), {}))
    assert recording.describe_running() is None
    thread.start()
    entered.wait()
    try:
        # Which of the two lines it is at is up to the scheduler.
        line = inspect.getsourcelines(hang)[1] + 2
        assert recording.describe_running() in [f"hook pre_llm_call at {__file__}:{at}" for at in (line - 1, line)]
        assert "end" not in recording.events[0]
    finally:
        done.set()
        thread.join()
    assert recording.describe_running() is None


@pytest.mark.parametrize(
    ("callback", "label"),
    [
        (Tool(), "Tool"),
        (Tool().method, "Tool.method"),
        (functools.partial(function, {}), "function"),
        (lambda: None, "<lambda>"),
    ],
)
def test_a_callback_is_named_with_its_module(callback: Any, label: str) -> None:
    recording = Recording(keep=True)
    with contextlib.suppress(TypeError):
        recording.call("hook", "h", callback, (), {})
    assert recording.events[0]["callback"] == f"{__name__}.{label}"


def test_methods_of_an_object_are_wrapped_once() -> None:
    recording = Recording(keep=True)
    tool = Tool()
    recording.wrap_methods("memory", tool, ["method"])
    recording.wrap_methods("memory", tool, ["method"])
    recording.wrap_methods("memory", object(), ["__str__"])
    tool.method({})
    assert [(event["kind"], event["name"], event["arguments"]) for event in recording.events] == [
        ("memory", "method", {"args": {}})
    ]
