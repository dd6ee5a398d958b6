"""The scripted model: order of answers, recorded requests, and messages about scripts that do not fit."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.errors import UsageError
from hermes_sdk.llm import Answer, Request, ScriptedModel, ToolCall, call, fail, interrupt, say

ASKED: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": '{"a":1}'}}]},
        {"role": "tool", "content": '{"sum": 3}'},
    ],
    "tools": [{"type": "function", "function": {"name": "add"}}, {"type": "function", "function": {"name": "sub"}}],
}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


def test_each_lane_answers_in_order(model: ScriptedModel) -> None:
    model.script(say("one"), "two")
    model.aux.script("aside")
    assert [model.answer(lane, {})[0].text for lane in ("main", "aux", "main")] == ["one", "aside", "two"]
    assert [request.index for request in model.requests] == [0, 1]
    assert [request.lane for request in model.aux.requests] == ["aux"]
    assert (model.problems(), model.unused(), model.remaining) == ([], [], 0)


def test_defaults_of_an_answer_are_filled_in(model: ScriptedModel) -> None:
    model.script(
        say("", call("a", x=1), call("b"), usage={"prompt_tokens": 7, "completion_tokens": 2}),
        say("end"),
        fail(500, "no"),
    )
    first, second, third = (model.answer("main", {})[0] for _ in range(3))
    assert first.tool_calls == (ToolCall("a", '{"x": 1}', "call_main0_0"), ToolCall("b", "{}", "call_main0_1"))
    assert (first.finish_reason, first.usage) == (
        "tool_calls",
        {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
    )
    assert (second.finish_reason, second.usage) == (
        "stop",
        {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    )
    assert third == Answer(status=500, error="no")


def test_call_accepts_keywords_mapping_or_text() -> None:
    texts = [call("t", {"class": 1}, b=2), call("t", {"name": "x"}), call("t", "{broken"), call("t")]
    assert [one.tool_calls[0].arguments for one in texts] == ['{"class": 1, "b": 2}', '{"name": "x"}', "{broken", "{}"]


def test_function_computes_an_answer_from_the_request(model: ScriptedModel) -> None:
    model.script(lambda request: f"{len(request.messages)} messages", lambda request: call("add", a=request.index))
    assert model.answer("main", ASKED)[0].text == "4 messages"
    assert json.loads(model.answer("main", ASKED)[0].tool_calls[0].arguments) == {"a": 1}


def test_request_has_model_tools_and_texts(model: ScriptedModel) -> None:
    model.script("yes")
    request = model.answer("main", ASKED)[1]
    assert model.requests == [request]
    assert (request.model, request.stream, request.tools) == ("m", True, ["add", "sub"])
    assert (request.system_text, request.user_text) == ("Be brief.", "look")
    empty = Request("aux", 0, {})
    assert (empty.model, empty.stream, empty.tools, empty.messages) == ("", False, [], [])
    assert (empty.system_text, empty.user_text) == ("", "")


def test_recorded_request_does_not_change(model: ScriptedModel) -> None:
    model.script("one", "two", "three", "four")
    said: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}]
    body = {"messages": said, "model": "m"}
    first = model.answer("main", body)[1]
    said[1]["content"] = "changed"
    second = model.answer("main", body)[1]
    said += [{"role": "assistant", "content": "b"}, {"role": "user", "content": "é\ud800"}]
    third = model.answer("main", body)[1]
    said.clear()
    fourth = model.answer("main", body)[1]
    first.body["messages"].clear()
    third.messages[0]["content"] = "mine"
    texts = [[one["content"] for one in request.messages] for request in (first, second, third, fourth)]
    assert texts == [["s", "a"], ["s", "changed"], ["s", "changed", "b", "é\ud800"], []]
    assert [*first.body] == ["messages", "model"]
    assert third.user_text == "é\ud800"
    assert repr(fourth) == "Request(lane='main', index=3, body={'messages': [], 'model': 'm'})"


def test_body_that_is_not_json_is_not_recorded(model: ScriptedModel) -> None:
    model.script("unused")
    with pytest.raises(TypeError, match="not JSON serializable"):
        model.answer("main", {"messages": [{"role": "user", "content": object()}]})
    assert (model.requests, model.remaining) == ([], 1)


def test_messages_of_a_long_conversation_are_stored_once(model: ScriptedModel) -> None:
    said: list[dict[str, Any]] = []
    sizes = []
    tracemalloc.start()
    for number in range(400):
        said.append({"role": "user", "content": f"message {number}"})
        model.script("yes")
        model.answer("main", {"messages": said})
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[399] - sizes[199] < 1.5 * (sizes[199] - sizes[9])
    assert [len(one.messages) for one in model.requests] == [*range(1, 401)]


def test_missing_answer_is_reported_with_the_request(model: ScriptedModel) -> None:
    model.script("only one")
    model.answer("main", ASKED)
    assert model.answer("main", ASKED)[0].text == "[no answer is left in the script]"
    model.answer("aux", {"messages": [{"role": "user", "content": "x" * 1000}]})
    main, aux = model.problems()
    assert main.splitlines() == [
        "The main script has no answer for request 2, which ended with",
        "  user: look",
        '  assistant: add({"a":1})',
        '  tool: {"sum": 3}',
        "  tools: add, sub",
        "  Add another answer to hermes.llm.script(…).",
    ]
    assert "(1000 characters)" in aux
    assert "hermes.llm.aux.script(…)" in aux


def test_unused_answers_are_reported(model: ScriptedModel) -> None:
    def decide(request: Request) -> str:
        return "x"

    model.script("used", say("It is 65536"), call("add", a=1), fail(429, "slow down"), decide)
    model.aux.script(say("both", call("add", "[")))
    model.answer("main", ASKED)
    main, aux = model.unused()
    assert main.splitlines() == [
        "The main script has unused answers:",
        "  text 'It is 65536'",
        '  call add({"a": 1})',
        "  status 429: slow down",
        f"  function {decide.__qualname__}",
        "The last of 1 requests ended with",
        "  user: look",
        '  assistant: add({"a":1})',
        '  tool: {"sum": 3}',
        "  tools: add, sub",
    ]
    assert aux.splitlines()[1:] == ["  text 'both', call add([)", "No request was made."]


def test_failing_function_is_reported_with_its_location(model: ScriptedModel) -> None:
    def wrong(request: Request) -> str:
        assert request.tools == ["mul"]
        return ""

    def misreads(request: Request) -> str:
        return str(json.loads("no JSON"))

    model.script(wrong, misreads, lambda request: None)  # type: ignore[arg-type, return-value]
    assert [model.answer("main", ASKED)[0].text for _ in range(3)] == ["[the script failed]"] * 3
    first, second, third = model.problems()
    assert first.startswith(f"{__file__}:{wrong.__code__.co_firstlineno + 1}: The function ")
    assert "for request 1 to the main script failed: AssertionError" in first
    assert second.startswith(f"{__file__}:{misreads.__code__.co_firstlineno + 1}: The function ")
    assert third.startswith("The function ")
    assert third.endswith("for request 3 to the main script failed: what it returned must be Answer or str, not None")


def test_interrupt_is_rejected_outside_of_the_agent_loop(model: ScriptedModel) -> None:
    message = r"in the lane aux cannot be interrupt\(\): .*\n  Pass it to hermes\.llm\.script"
    with pytest.raises(UsageError, match=f"script: an answer {message}"):
        model.aux.script("one", interrupt())
    assert model.aux.remaining == 0
    model.aux.script(lambda request: interrupt())
    model.answer("aux", ASKED)
    assert re.search(f"what it returned {message}", model.problems()[0])
    model.script(interrupt())
    assert model.answer("main", ASKED)[0].interrupts


@pytest.mark.parametrize("error", [KeyboardInterrupt, pytest.skip.Exception, pytest.fail.Exception, SystemExit])
def test_function_may_end_the_test(error: type[BaseException], model: ScriptedModel) -> None:
    def ends(request: Request) -> str:
        raise error

    model.script(ends)
    with pytest.raises(error):
        model.answer("main", {})
    assert model.problems() == []


def test_failure_in_another_thread_is_reported(model: ScriptedModel) -> None:
    def stops(request: Request) -> str:
        pytest.fail("enough")

    model.script(stops)
    with ThreadPoolExecutor() as threads:
        assert threads.submit(model.answer, "main", {}).result()[0].text == "[the script failed]"
    assert "Failed: enough" in model.problems()[0]


def test_observer_receives_each_request_and_answer(model: ScriptedModel) -> None:
    seen: list[tuple[str, int, str | None]] = []
    model.observer = lambda request, answer: seen.append((request.lane, request.index, answer.text))
    model.script("one")
    model.answer("main", {})
    model.answer("aux", {})
    assert seen == [("main", 0, "one"), ("aux", 0, "[no answer is left in the script]")]


@pytest.mark.parametrize(
    ("make", "given", "named", "message"),
    [
        (say, [3], {}, "say: text must be str, not 3"),
        (say, ["", "add"], {}, r"say: every argument after the text must be a call\(…\), not 'add'"),
        (say, ["x", fail(500)], {}, r"must be a call\(…\), not status 500: the model failed\n  Pass other answers to"),
        (say, ["x", interrupt()], {}, r"must be a call\(…\), not the user's interrupt"),
        (say, ["x", say("y", call("add"))], {}, r"must be a call\(…\), not text 'y', call add"),
        (say, ["x", say()], {}, r"must be a call\(…\), not text ''"),
        (say, [""], {"usage": 5}, "say: usage must be Mapping or NoneType, not 5"),
        (
            say,
            [""],
            {"usage": {"prompt_tokens": True}},
            r"say: usage\['prompt_tokens'\] must be a number of tokens, not True",
        ),
        (say, [""], {"usage": {"cached": -1}}, r"say: usage\['cached'\] must be a number of tokens, not -1"),
        (say, [""], {"usage": {"prompt_tokens": "1"}}, r"say: usage\['prompt_tokens'\] must be int, not '1'"),
        (say, [""], {"reasoning": 1}, "say: reasoning must be str or NoneType, not 1"),
        (call, [len], {}, "call: the name of the tool must be str"),
        (call, ["t", [1]], {}, r"call: args must be Mapping or str or NoneType, not \[1\]"),
        (call, ["t", "{}"], {"a": 1}, "not both"),
        (call, ["t"], {"a": Path()}, "the arguments of t are not valid JSON"),
        (fail, [200], {}, "between 400 and 599, not 200"),
        (fail, ["500"], {}, "fail: status must be int"),
        (ScriptedModel().script, [None], {}, "script: an answer must be Answer or str or Callable, not None"),
    ],
)
def test_invalid_script_is_rejected_when_it_is_written(
    make: Callable[..., Any], given: list[Any], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        make(*given, **named)
