"""A model server like those of users: it streams, has its own name and context length, and reports usage.

It is independent of our own server for scripted models, so that recordings do not contain the format of that server.
"""

import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hermes_sdk.llm import Answer, ScriptedModel

NAME = "nova-mini"
"""The user's name for the model; the server returns the name of a version in answers."""

CONTEXT = 96_000
HALF = "half"
"""The finish reason of an answer during which the user stops the agent."""

_MOMENT = 0.3
_TITLE = "A talk about tea"


class ModelServer(ThreadingHTTPServer):
    """Server that answers streaming requests from a script, and other requests with a title.

    Attributes:
        titles: The number of returned titles.
    """

    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.base_url = f"http://127.0.0.1:{self.server_port}/v1"
        self.numbers = itertools.count(1)
        self.titles = 0
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing, because a stopped host disconnects during an answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        known = {
            "id": NAME,
            "object": "model",
            "created": 1_790_000_000,
            "owned_by": "nova",
            "context_length": CONTEXT,
        }
        self._send({"object": "list", "data": [known]} if self.path == "/v1/models" else known)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked.get("stream"):
            answer, _ = self.server.model.answer("main", asked)
            return self._stream(asked, answer)
        self.server.titles += 1
        choice = {"index": 0, "message": {"role": "assistant", "content": _TITLE}, "finish_reason": "stop"}
        return self._send({**self._head("chat.completion"), "choices": [choice], "usage": _count(asked, _TITLE)})

    def _stream(self, asked: Any, answer: Answer) -> None:
        if answer.interrupts:
            return self._stop_agent()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        head = self._head("chat.completion.chunk")
        for delta in _cut(answer, f"call_{next(self.server.numbers):08x}"):
            self._write({**head, "choices": [_choose(delta)]})
        if answer.finish_reason == HALF:
            return self._stop_agent()
        self._write({**head, "choices": [_choose({}, "tool_calls" if answer.tool_calls else "stop")]})
        self._write({**head, "choices": [], "usage": _count(asked, str(answer))})
        self._chunk(b"data: [DONE]\n\n")
        return self._chunk(b"")

    def _stop_agent(self) -> None:
        """Stop the agent as a user, and wait until it has closed the connection."""
        time.sleep(_MOMENT)
        if self.server.model.on_interrupt:
            self.server.model.on_interrupt()
        with suppress(OSError):
            while self.connection.recv(1):
                pass
        self.close_connection = True

    def _head(self, kind: str) -> dict[str, Any]:
        number = next(self.server.numbers)
        return {
            "id": f"gen-{number:08x}",
            "object": kind,
            "created": 1_790_000_000 + number,
            "model": f"{NAME}-2026-10-01",
        }

    def _write(self, value: Any) -> None:
        self._chunk(f"data: {json.dumps(value)}\n\n".encode())

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def _send(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _choose(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}


def _cut(answer: Answer, name: str) -> Iterator[dict[str, Any]]:
    """Yield the chunks of an answer, with two chunks per tool call."""
    yield {"role": "assistant", "content": ""}
    for word in re.findall(r"\s*\S+|\s+", answer.text or ""):
        yield {"content": word}
    for index, one in enumerate(answer.tool_calls):
        half = len(one.arguments) // 2
        function = {"name": one.name, "arguments": one.arguments[:half]}
        yield {"tool_calls": [{"index": index, "id": f"{name}{index}", "type": "function", "function": function}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": one.arguments[half:]}}]}


def _count(asked: Any, answer: str) -> dict[str, Any]:
    """Count tokens with details, as current APIs do."""
    prompt, completion = len(json.dumps(asked["messages"])) // 4, len(answer) // 4 + 1
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": prompt // 2, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
