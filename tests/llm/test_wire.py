"""Wire format of answers, streamed and complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.llm import Answer, ScriptedModel, ToolCall, call, fail, say, wire
from hermes_sdk.llm.server import Server

TEXT = st.text(max_size=60)
ANSWERS = st.builds(
    Answer,
    text=TEXT,
    tool_calls=st.lists(st.builds(ToolCall, st.text(min_size=1), TEXT), max_size=3).map(tuple),
    reasoning=st.none() | TEXT,
    finish_reason=st.none() | st.just("length"),
)


def assemble(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Assemble the chunks of a stream as a client does."""
    message: dict[str, Any] = {"content": "", "reasoning_content": "", "tool_calls": {}}
    finish = None
    for choice in [choice for chunk in chunks for choice in chunk["choices"]]:
        delta = choice["delta"]
        for name in ("content", "reasoning_content"):
            message[name] += delta.get(name, "")
        for piece in delta.get("tool_calls", ()):
            whole = message["tool_calls"].setdefault(piece["index"], {"arguments": ""})
            whole["arguments"] += piece["function"].pop("arguments")
            whole.update({key: value for key, value in piece.items() if key in ("id", "type")}, **piece["function"])
        finish = choice["finish_reason"] or finish
    return {**message, "tool_calls": list(message["tool_calls"].values()), "finish": finish}


@given(ANSWERS)
def test_assembled_stream_equals_the_complete_answer(scripted: Answer) -> None:
    model = ScriptedModel()
    model.script(scripted)
    answer, request = model.answer("main", {})
    whole = wire.completion(answer, request)
    chunks = list(wire.chunks(answer, request))
    choice = whole["choices"][0]
    assert assemble(chunks) == {
        "content": choice["message"]["content"],
        "reasoning_content": choice["message"].get("reasoning_content", ""),
        "tool_calls": [
            {"id": one["id"], "type": "function", **one["function"]} for one in choice["message"].get("tool_calls", ())
        ],
        "finish": choice["finish_reason"],
    }
    assert (chunks[-1]["choices"], chunks[-1]["usage"]) == ([], whole["usage"])
    assert {chunk["id"] for chunk in chunks} == {whole["id"]}


@pytest.fixture
def model_and_url() -> Iterator[tuple[ScriptedModel, str]]:
    model = ScriptedModel()
    server = Server(model)
    yield model, server.base_url
    server.close()
    server.close()


def post(url: str, body: Any) -> tuple[int, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urlopen(HttpRequest(url, data, {"Content-Type": "application/json"})) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_server_answers_completely_in_streams_and_with_errors(model_and_url: tuple[ScriptedModel, str]) -> None:
    model, url = model_and_url
    model.script(call("add", a="ünï"), fail(503, "busy"), say("x" * 30))
    tools = [{"type": "function", "function": {"name": "add"}}]
    status, text = post(f"{url}/chat/completions", {"messages": [], "tools": tools})
    message = json.loads(text)["choices"][0]["message"]
    assert (status, json.loads(message["tool_calls"][0]["function"]["arguments"])) == (200, {"a": "ünï"})
    assert post(f"{url}/chat/completions", {"stream": True, "messages": []}) == (
        503,
        '{"error": {"message": "busy", "type": "stub_error"}}',
    )
    status, text = post(f"{url}/chat/completions", {"stream": True, "messages": []})
    *events, done = [line.removeprefix("data: ") for line in text.strip().split("\n\n")]
    assert (status, done) == (200, "[DONE]")
    assert assemble([json.loads(event) for event in events])["content"] == "x" * 30
    assert [request.tools for request in model.requests] == [["add"], [], []]


def test_request_without_stream_and_tools_is_auxiliary(model_and_url: tuple[ScriptedModel, str]) -> None:
    model, url = model_and_url
    model.aux.script("{}")
    _, text = post(f"{url}/chat/completions", {"messages": [{"role": "user", "content": "judge"}]})
    assert json.loads(text)["choices"][0]["message"]["content"] == "{}"
    assert (model.aux.requests[0].user_text, model.requests) == ("judge", [])


def test_title_request_is_not_recorded(model_and_url: tuple[ScriptedModel, str]) -> None:
    model, url = model_and_url
    asked = "Generate a short, descriptive title (3-7 words) for a conversation"
    status, _ = post(f"{url}/chat/completions", {"messages": [{"role": "system", "content": asked}]})
    assert status == 200
    assert (model.requests, model.aux.requests, model.problems()) == ([], [], [])


@pytest.mark.parametrize("path", ["/models", "/models/stub-model", "/../api/v1/models"])
def test_model_is_listed_at_each_path_that_hosts_request(path: str, model_and_url: tuple[ScriptedModel, str]) -> None:
    with urlopen(model_and_url[1] + path) as response:
        found = json.load(response)
    assert found.get("data", [found])[0] == {
        "id": "stub-model",
        "object": "model",
        "created": 0,
        "owned_by": "hermes-sdk",
        "context_length": 200_000,
    }


def test_unsupported_requests_are_rejected(model_and_url: tuple[ScriptedModel, str]) -> None:
    model, url = model_and_url
    assert post(f"{url}/chat/completions", b"{half")[0] == 400
    assert post(f"{url}/embeddings", {})[0] == 404
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{url}/props")
    with refused.value:
        assert refused.value.code == 404
    assert model.requests == []
