"""Recording of a plugin's callbacks."""

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


def record_call(callback, *args, kind="hook", **kwargs):
    recording = Recording(keep=True)
    recording.call(kind, "x", callback, args, kwargs)
    [event] = recording.events
    return event


def remember(**kwargs):
    return {"context": "yes"}


def test_call_is_recorded_as_event() -> None:
    event = record_call(remember, session_id="s")
    assert event.pop("end") >= event.pop("t")
    assert event == {
        "kind": "hook",
        "name": "x",
        "thread": threading.current_thread().name,
        "callback": f"{__name__}.remember",
        "arguments": {"session_id": "s"},
        "returned": {"context": "yes"},
    }


def test_arguments_are_recorded_before_call() -> None:
    assert record_call(lambda args: args.clear(), args={"a": [1]})["arguments"] == {"args": {"a": [1]}}


@pytest.mark.parametrize(
    ("kind", "expected"), [("tool", {"args": 1}), ("command", {"raw_args": 1}), ("memory", {"query": 1})]
)
def test_positional_arguments_are_named(kind: str, expected: dict[str, int]) -> None:
    assert record_call(lambda query: None, 1, kind=kind)["arguments"] == expected


def test_call_with_wrong_arguments_is_recorded() -> None:
    recording = Recording(keep=True)
    with pytest.raises(TypeError):
        recording.call("memory", "x", lambda query: None, (1, 2), {})
    [event] = recording.events
    assert event["arguments"] == {"query": 1, "0": 2}
    assert event["raised"].startswith("TypeError: ")


def test_system_exit_is_recorded_and_propagates() -> None:
    recording = Recording(keep=True)

    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        recording.call("hook", "x", leave, (), {})
    assert recording.events[0]["raised"] == "SystemExit: 3"
    assert "returned" not in recording.events[0]


def test_calls_are_ordered_by_start() -> None:
    recording = Recording(keep=True)
    inner = recording.wrap("tool", "inner", lambda args: "done")
    recording.call("middleware", "outer", lambda: inner({}), (), {})
    outer, inner = recording.events
    assert (outer["name"], inner["name"]) == ("outer", "inner")
    assert outer["t"] <= inner["t"] <= inner["end"] <= outer["end"]


def test_coroutine_is_recorded_when_awaited() -> None:
    recording = Recording(keep=True)

    async def tool(args: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return "done"

    wrapped = recording.wrap("tool", "t", tool)
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped({})) == "done"
    assert recording.events[0]["returned"] == "done"


def test_warning_about_unawaited_coroutine_names_function_of_plugin() -> None:
    async def handle(args: dict[str, Any]) -> None: ...

    coroutine = Recording(keep=True).wrap("tool", "t", handle)({})
    assert coroutine.__qualname__.endswith("handle")
    inspect.getcoroutinelocals(coroutine)["coroutine"].close()
    coroutine.close()


def test_coroutine_of_hook_is_returned_unchanged() -> None:
    async def hook() -> None: ...

    recording = Recording(keep=True)
    coroutine = recording.call("hook", "h", hook, (), {})
    assert coroutine.cr_code is hook.__code__
    coroutine.close()
    assert recording.events[0]["returned"] == {"__type__": "coroutine"}


def test_section_contains_only_its_calls() -> None:
    recording = Recording()
    hook = recording.wrap("hook", "h", lambda n: n)
    hook(n=1)
    with recording.section() as section:
        hook(n=2)
    hook(n=3)
    assert [event["returned"] for event in section.events] == [2]
    assert recording.events == []
    assert not recording.active


def test_kept_recording_includes_sections() -> None:
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
def test_wrapper_looks_like_callback(callback: Any) -> None:
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


def test_attributes_set_on_wrapper_are_set_on_callback() -> None:
    tool = Tool()
    wrapped = Recording().wrap("tool", "t", tool)
    wrapped.limit = 3
    assert tool.limit == wrapped.limit == 3  # type: ignore[attr-defined]
    assert wrapped({}) == "called"
    assert tool.calls == 1


def test_copy_of_wrapped_method_is_bound_to_copied_object() -> None:
    tool = Tool()
    recording = Recording(keep=True)
    tool.method = recording.wrap("memory", "method", tool.method)  # type: ignore[method-assign]
    copied = copy.deepcopy(tool)
    assert copied.method.__self__ is copied  # type: ignore[attr-defined]
    assert copied.method({}) == "method"
    assert len(recording.events) == 1


@pytest.mark.parametrize("value", [None, "no callback", 3])
def test_values_that_are_not_callable_are_not_wrapped(value: Any) -> None:
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
def test_value_is_converted_to_json(value: object, expected: object) -> None:
    assert plain(value) == expected


def test_snapshot_of_recursive_value_is_truncated() -> None:
    value: list[Any] = [1]
    value.append(value)
    assert plain({"v": value}) == {"v": [1, {"__type__": "list"}]}


def test_snapshot_does_not_expand_reference_to_parent() -> None:
    root: dict[str, Any] = {}
    root["children"] = [{"parent": root} for _ in range(20)]
    assert plain(root) == {"children": [{"parent": {"__type__": "dict"}}] * 20}


def test_snapshot_of_connected_nodes_is_limited() -> None:
    nodes: list[list[Any]] = [[] for _ in range(20)]
    for node in nodes:
        node += nodes
    assert plain(nodes)[0][0] == {"__type__": "list"}
    assert len(json.dumps(plain(nodes))) < 10_000_000


class Nameless:
    """Object whose ``repr`` raises an exception."""

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
def test_value_that_raises_does_not_affect_callback_or_other_values(value: object, expected: str) -> None:
    event = record_call(lambda value, other: "done", value=value, other=1)
    assert event["arguments"] == {"value": {"__type__": expected}, "other": 1}
    assert event["returned"] == "done"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_snapshot_of_json_value_is_unchanged(value: object) -> None:
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
def test_warnings_of_host_are_recorded(logger: str, level: str, kept: bool) -> None:
    recording = Recording(keep=True)
    record = logging.LogRecord(logger, getattr(logging, level), "", 0, "careful", None, None)
    recording.log(record, "careful")
    found = [(event["kind"], event["name"], event["logger"], event["message"]) for event in recording.events]
    assert found == [("log", level, logger, "careful")] * kept


def test_recording_is_thread_safe() -> None:
    recording = Recording(keep=True)
    hook = recording.wrap("hook", "h", lambda n: n)
    threads = [threading.Thread(target=lambda n=n: [hook(n=n) for _ in range(50)], name=f"t{n}") for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recording.events) == 200
    assert all(event["thread"] == f"t{event['returned']}" for event in recording.events)


def test_running_callback_is_named_with_its_line() -> None:
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
        # The scheduler decides which of the two lines is running.
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
def test_label_of_callback_contains_module(callback: Any, label: str) -> None:
    recording = Recording(keep=True)
    with contextlib.suppress(TypeError):
        recording.call("hook", "h", callback, (), {})
    assert recording.events[0]["callback"] == f"{__name__}.{label}"


def test_methods_are_wrapped_once() -> None:
    recording = Recording(keep=True)
    tool = Tool()
    recording.wrap_methods("memory", tool, ["method"])
    recording.wrap_methods("memory", tool, ["method"])
    recording.wrap_methods("memory", object(), ["__str__"])
    tool.method({})
    assert [(event["kind"], event["name"], event["arguments"]) for event in recording.events] == [
        ("memory", "method", {"args": {}})
    ]
