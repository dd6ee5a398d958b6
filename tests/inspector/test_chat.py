"""The chat: commands, a real model, the timeline, and copied conversations."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from inspector.test_pages import open_pages

from hermes_sdk.errors import UsageError
from hermes_sdk.inspector.actions import Attempt
from hermes_sdk.inspector.models import Models
from hermes_sdk.inspector.workbench import Workbench

KEY = "k3y-of-the-author"
CALL = {"id": "c1", "type": "function", "function": {"name": "total", "arguments": '{"numbers": [2, 3]}'}}


class Server(HTTPServer):
    """A model that calls the tool `total` and then repeats its result, or the answer of `status`."""

    status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str | None, dict[str, Any]]] = []
        self.address = f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.asked.append((self.headers["authorization"], body))
        last = body["messages"][-1]
        said = {"content": f"I got {last['content']}"} if last["role"] == "tool" else {"tool_calls": [CALL]}
        answer: dict[str, Any] = {"choices": [{"message": said, "finish_reason": "stop"}]}
        if server.status != 200:
            answer = {"error": f"wrong key {KEY}"}
        text = json.dumps(answer).encode()
        self.send_response(server.status)
        self.send_header("location", f"{server.address}/elsewhere")
        self.end_headers()
        self.wfile.write(text)


@pytest.fixture
def server() -> Generator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def fields(server: Server) -> dict[str, str]:
    chosen = {"address": server.address, "model": "small", "key": "MODEL_KEY", "real": "on"}
    return {"kind": "chat", "name": "add", **chosen}


def allow_models(server: Server) -> Models:
    return Models([server.address], {"MODEL_KEY": KEY})


def test_real_model_gets_the_key_which_is_not_shown(plugin: Path, server: Server) -> None:
    with open_pages(plugin, allow_models(server)) as client:
        turn = client.post("/act", data=fields(server)).text
        page = client.get("/chat").text
    assert "<p>I got {&quot;total&quot;: 5}</p>" in turn
    assert [(key, body["model"]) for key, body in server.asked] == [(f"Bearer {KEY}", "small")] * 2
    assert KEY not in turn + page
    assert "<option selected>MODEL_KEY</option>" in page


def test_real_model_is_used_only_on_request(plugin: Path, server: Server) -> None:
    chosen = fields(server)
    del chosen["real"]
    with open_pages(plugin, allow_models(server)) as client:
        assert "<p>ok</p>" in client.post("/act", data=chosen).text
    assert server.asked == []


def test_reload_replays_answers_of_real_model(plugin: Path, server: Server) -> None:
    bench = Workbench(plugin)
    try:
        bench.load()
        bench.say(Attempt("chat", "add"), allow_models(server).choose(server.address, "small", "MODEL_KEY"))
        asked = len(server.asked)
        source = plugin / "__init__.py"
        source.write_text(source.read_text().replace('"total": sum', '"sum": sum'))
        bench.load()
        [said] = bench.conversations["chat"]
    finally:
        bench.close()
    assert isinstance(said.outcome, dict)
    assert said.outcome["value"]["tool_calls"][0]["result"] == '{"sum": 5}'
    assert len(server.asked) == asked


@pytest.mark.parametrize("status", [302, 401])
def test_model_error_is_shown_without_the_key(status: int, server: Server) -> None:
    server.status = status
    model = allow_models(server).choose(server.address, "small", "MODEL_KEY")
    answer = model("main", {"messages": [{"role": "user", "content": "x"}]})
    assert answer.status == status
    assert KEY not in str(answer.error)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"key": "OTHER_KEY"}, "start `hermes-sdk dev --env OTHER_KEY`"),
        ({"address": "http://127.0.0.1:9/v1"}, "start `hermes-sdk dev --model-url http://127.0.0.1:9/v1`"),
        ({"address": "file:///etc/passwd"}, "is not the address of a model"),
        ({"address": "http://me:pw@host/v1"}, "is not the address of a model"),
        ({"address": "http://[x"}, "is not the address of a model"),
        ({"model": ""}, "The model has no name"),
    ],
)
def test_request_cannot_choose_address_or_key_variable(
    changed: dict[str, str], told: str, plugin: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", "another secret")
    with open_pages(plugin, allow_models(server)) as client:
        refused = client.post("/act", data={**fields(server), **changed}).text
        assert told in refused
        assert server.asked == []
        assert "I got" in client.post("/act", data=fields(server)).text


def test_model_at_unlisted_address_is_not_called(plugin: Path, server: Server) -> None:
    with open_pages(plugin) as client:
        assert f"hermes-sdk dev --model-url {server.address}" in client.post("/act", data=fields(server)).text
        assert "hermes-sdk dev --model-url URL" in client.get("/chat").text
    assert server.asked == []


def test_command_typed_into_the_chat_runs(plugin: Path) -> None:
    with open_pages(plugin) as client:
        assert "echo hi" in client.post("/act", data={"kind": "chat", "name": "/echo hi"}).text
        assert "echo hi" in client.get("/chat").text


def test_call_and_result_are_linked_in_the_timeline(plugin: Path) -> None:
    script = "main: [{tool_calls: [{name: total, args: {numbers: [2, 3]}}]}, {text: done}]"
    with open_pages(plugin) as client:
        turn = client.post("/act", data={"kind": "chat", "name": "add", "script": script}).text
    [(there, back)] = zip(
        re.findall(r'href="#([^"]+)">result of total<', turn),
        re.findall(r'href="#([^"]+)">call of total<', turn),
        strict=True,
    )
    assert f'<li data-kind="tool" id="{there}"' in turn
    assert f'<li data-kind="llm_request" id="{back}"' in turn
    assert re.findall(r"main</span>.*→ (.*)</span></summary>", turn) == ["calls total", "done"]


def test_inspector_opens_with_the_conversation_of_a_scenario(plugin: Path, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text("turns: [first, second]\nscript: {main: [{text: one}, {text: two}]}\n")
    bench = Workbench(plugin)
    try:
        bench.plan(file)
        bench.load()
        replies = [
            one.outcome["value"]["reply"] for one in bench.conversations["chat"] if isinstance(one.outcome, dict)
        ]
        bench.load()
        assert len(bench.conversations["chat"]) == 2
        file.write_text("mode: gateway\nmessages: [{text: hi}]\n")
        with pytest.raises(UsageError, match="for a gateway"):
            bench.plan(file)
    finally:
        bench.close()
    assert replies == ["one", "two"]
