"""Middleware (C30 to C33)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hosts.embedded.conftest import PLUGIN, list_swallowed

from hermes_sdk.hosts.embedded.middleware import Middleware, Request
from hermes_sdk.hosts.embedded.state import HostState


class Chain:
    """Middleware under test, with a handler that returns its arguments."""

    def __init__(self, state: HostState) -> None:
        self.state = state
        self.handled: list[Any] = []
        self.middleware = Middleware(state)

    def add(self, kind: str, *callbacks: Callable[..., Any]) -> None:
        for callback in callbacks:
            self.middleware.register(PLUGIN, kind=kind, callback=callback)

    def request(self, args: Any) -> Request:
        return self.middleware.request("tool_request", "args", {"tool_name": "t", "args": args, "original_args": {}})

    def execute(self, handler: Callable[[Any], Any] | None = None) -> Any:
        arguments = {"tool_name": "t", "args": {"n": 1}, "original_args": {"n": 0}}
        return self.middleware.execute("tool_execution", "args", arguments, handler or self._handle)

    def _handle(self, args: Any) -> str:
        self.handled.append(args)
        return f"handled {args}"


@pytest.fixture
def chain(state: HostState) -> Chain:
    return Chain(state)


def test_unknown_kind_is_registered_with_warning(chain: Chain, caplog: pytest.LogCaptureFixture) -> None:
    chain.add("bogus", print)
    assert list(chain.middleware.entries) == ["bogus"]
    assert [(record.name, record.message) for record in caplog.records] == [
        (
            "hermes_cli.plugins",
            "Plugin 'plug' registered unknown middleware 'bogus' (valid: llm_execution, llm_request, tool_execution,"
            " tool_request)",
        )
    ]


# -- requests


def test_payload_is_passed_on_without_middleware(chain: Chain) -> None:
    args = {"n": 1}
    request = chain.request(args)
    assert request.payload is request.original is args
    assert request.trace == []


def test_last_valid_payload_wins_and_each_is_traced(chain: Chain) -> None:
    seen = []

    def first(**kwargs: Any) -> Any:
        seen.append(kwargs["args"])
        return {"args": {"n": 2}, "source": "first", "reason": "", "name": 5}

    def second(**kwargs: Any) -> Any:
        seen.append(kwargs["args"])
        return {"args": {"n": 3}, "other": "x"}

    chain.add("tool_request", first, second, lambda **_: {"args": [1]}, lambda **_: "text", lambda **_: None)
    assert chain.request({"n": 1}) == ({"n": 3}, {"n": 1}, [{"source": "first"}, {"source": "plugin"}])
    assert seen[0] is seen[1]


def test_payload_of_callback_is_copied(chain: Chain) -> None:
    kept = {"n": 2}
    chain.add("tool_request", lambda **_: {"args": kept})
    payload = chain.request({}).payload
    assert payload == kept
    assert payload is not kept


def test_in_place_change_applies_without_trace_or_effect_on_caller(chain: Chain) -> None:
    args: dict[str, Any] = {"n": {}}
    chain.add("tool_request", lambda **kwargs: kwargs["args"]["n"].update(a=1))
    assert chain.request(args) == ({"n": {"a": 1}}, {"n": {}}, [])
    assert args == {"n": {}}


def test_callbacks_receive_versions(chain: Chain) -> None:
    seen: dict[str, Any] = {}
    chain.add("tool_request", lambda **kwargs: seen.update(kwargs))
    chain.request({})
    assert seen == {
        "tool_name": "t",
        "args": {},
        "original_args": {},
        "telemetry_schema_version": "hermes.observer.v1",
        "middleware_schema_version": "hermes.middleware.v1",
    }


def test_failed_request_callback_is_skipped(chain: Chain, caplog: pytest.LogCaptureFixture) -> None:
    def fails(**kwargs: Any) -> Any:
        raise OSError("down")

    chain.add("tool_request", fails, lambda **_: {"args": {"n": 2}})
    assert chain.request({"n": 1}).payload == {"n": 2}
    assert caplog.messages == ["Middleware 'tool_request' callback fails raised: down"]
    assert list_swallowed(chain.state) == [("middleware tool_request", "OSError: down")]


def test_uncopyable_payload_is_shared(chain: Chain) -> None:
    lock = threading.Lock()
    chain.add("tool_request", lambda **kwargs: None)
    payload = chain.request({"lock": lock}).payload
    assert payload["lock"] is lock


# -- execution


def test_first_registered_callback_is_outermost(chain: Chain) -> None:
    def wrap(name: str) -> Callable[..., Any]:
        return lambda next_call, **_: f"{name}({next_call()})"

    chain.add("tool_execution", wrap("a"), wrap("b"))
    assert chain.execute() == "a(b(handled {'n': 1}))"


def test_new_payload_is_passed_to_later_callbacks(chain: Chain) -> None:
    chain.add(
        "tool_execution",
        lambda next_call, **_: next_call({"n": 2}),
        lambda next_call, args, original_args, **_: next_call() + f" was {args} was {original_args}",
    )
    assert chain.execute() == "handled {'n': 2} was {'n': 2} was {'n': 0}"


@pytest.mark.parametrize("answer", ["cached", None, {"a": 1}])
def test_callback_can_answer_without_calling_handler(chain: Chain, answer: Any) -> None:
    chain.add("tool_execution", lambda **_: answer)
    assert chain.execute() == answer
    assert chain.handled == []


def test_callback_that_raises_before_handler_is_skipped(chain: Chain, caplog: pytest.LogCaptureFixture) -> None:
    def early(**kwargs: Any) -> Any:
        raise ValueError("early")

    chain.add("tool_execution", early, lambda next_call, **_: next_call() + "!")
    assert chain.execute() == "handled {'n': 1}!"
    assert [(record.name, record.message) for record in caplog.records] == [
        ("hermes_cli.middleware", "Middleware 'tool_execution' callback early raised: early")
    ]
    assert list_swallowed(chain.state) == [("middleware tool_execution", "ValueError: early")]


def test_callback_that_raises_after_handler_keeps_result(chain: Chain) -> None:
    def late(next_call: Any, **kwargs: Any) -> Any:
        next_call()
        raise ValueError("late")

    chain.add("tool_execution", late)
    assert chain.execute() == "handled {'n': 1}"
    assert chain.handled == [{"n": 1}]


def test_handler_runs_once(chain: Chain) -> None:
    told: list[str] = []

    def twice(next_call: Any, **kwargs: Any) -> Any:
        result = next_call()
        try:
            next_call()
        except RuntimeError as error:
            told.append(str(error))
        return result

    chain.add("tool_execution", twice)
    assert chain.execute() == "handled {'n': 1}"
    assert told == [
        "Middleware 'tool_execution' callback twice called next_call() more than once; downstream execution is"
        " single-use"
    ]
    assert chain.handled == [{"n": 1}]


def test_exception_of_handler_propagates(chain: Chain) -> None:
    def handler(args: Any) -> Any:
        raise LookupError("below")

    chain.add("tool_execution", lambda next_call, **_: next_call(), lambda next_call, **_: next_call())
    with pytest.raises(LookupError, match=r"^below$"):
        chain.execute(handler)
    assert list_swallowed(chain.state) == []


def test_exception_of_handler_keeps_cause(chain: Chain) -> None:
    def handler(args: Any) -> Any:
        raise ValueError("failed") from KeyError("why")

    chain.add("tool_execution", lambda next_call, **_: next_call())
    with pytest.raises(ValueError, match="failed") as raised:
        chain.execute(handler)
    assert isinstance(raised.value.__cause__, KeyError)


def test_callback_that_swallows_exception_answers_itself(chain: Chain) -> None:
    def handler(args: Any) -> Any:
        raise LookupError("below")

    def hides(next_call: Any, **kwargs: Any) -> Any:
        try:
            return next_call()
        except Exception:
            raise ValueError("mine") from None

    chain.add("tool_execution", hides)
    with pytest.raises(ValueError, match=r"^mine$"):
        chain.execute(handler)
