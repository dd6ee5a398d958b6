"""The scripted model as an OpenAI-compatible API on loopback, for a host in another process."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hermes_sdk.llm import wire
from hermes_sdk.llm.answers import say
from hermes_sdk.llm.script import CONTEXT_LENGTH, MODEL, LaneName, Request, ScriptedModel

# Hosts before 0.19 always request a session title in the background, regardless of the configuration. Whether they do
# so before they end is random, so these requests are not part of a script. They begin with one of these texts.
_ASKS_FOR_TITLE = ("Generate a short, descriptive title (3-7 words)", "You name chat sessions.")
_TITLE = "Scripted title"

_DESCRIPTION = {
    "id": MODEL,
    "object": "model",
    "created": 0,
    "owned_by": "hermes-sdk",
    "context_length": CONTEXT_LENGTH,
}
_PATIENCE = 10.0
"""Seconds for an interrupted client to close its connection."""

_NOT_FOUND = {"error": {"message": "not found"}}


class Server:
    """Serves a scripted model on a free port of 127.0.0.1 until it is closed.

    Requests for a stream or with tools use the main lane, all others the auxiliary one.

    Args:
        model: The model that answers.

    Attributes:
        base_url: The address to configure, such as ``http://127.0.0.1:40123/v1``.
    """

    def __init__(self, model: ScriptedModel) -> None:
        self._http = _Http(model)
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name="scripted-model", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._closing:
            self._http.handle_request()

    def close(self) -> None:
        """Stop serving; further calls do nothing."""
        if self._closing:
            return
        self._closing = True
        # Connect to wake up the waiting thread; polling would delay every close.
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self._http.server_port)).close()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def server_bind(self) -> None:
        """Bind without the host name look-up of the base class."""
        super(ThreadingHTTPServer, self).server_bind()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a terminated host disconnects in the middle of an answer."""


class _Handler(BaseHTTPRequestHandler):
    # Send small writes immediately.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Describe the model at all paths where a host looks for it."""
        path = self._path()
        if path.endswith("/models"):
            self._send(200, {"object": "list", "data": [_DESCRIPTION]})
        elif "/models/" in path:
            self._send(200, _DESCRIPTION)
        else:
            self._send(404, _NOT_FOUND)

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self._path().endswith("/chat/completions"):
            return self._send(404, _NOT_FOUND)
        try:
            body = json.loads(content)
        except ValueError:
            # The client was terminated in the middle of its request.
            return self._send(400, {"error": {"message": "the body is not valid JSON"}})
        return self._complete(body)

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _complete(self, body: dict[str, Any]) -> None:
        lane: LaneName = "main" if body.get("stream") or body.get("tools") else "aux"
        request = Request(lane, 0, body)
        if request.system_text.startswith(_ASKS_FOR_TITLE):
            return self._send(200, wire.completion(say(_TITLE), request))
        assert isinstance(self.server, _Http)
        model = self.server.model
        answer, request = model.answer(lane, body)
        if answer.interrupts and model.on_interrupt is not None:
            model.on_interrupt()
            return self._wait_for_the_end()
        if answer.status is not None:
            return self._send(answer.status, wire.error(answer))
        if request.stream:
            lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in wire.chunks(answer, request)]
            return self._write(200, "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]))
        return self._send(200, wire.completion(answer, request))

    def _wait_for_the_end(self) -> None:
        """Do not answer; wait until the terminated client has closed the connection."""
        self.close_connection = True
        self.connection.settimeout(_PATIENCE)
        with contextlib.suppress(OSError):
            while self.connection.recv(1):
                pass

    def _send(self, status: int, value: Any) -> None:
        self._write(status, "application/json", json.dumps(value))

    def _write(self, status: int, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
