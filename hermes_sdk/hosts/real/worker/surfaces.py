"""Turns on surfaces other than ``hermes chat`` and the gateway: cron jobs, and the backend of ``hermes serve``."""

from __future__ import annotations

import importlib
import json
import threading
from typing import Any

from . import retry_delays


def run_cron_job(prompt: str) -> str | None:
    """Run a new job as the host's scheduler does, and return the agent's reply.

    Raises:
        RuntimeError: The job failed.
    """
    retry_delays.skip_agent_delays()
    job = importlib.import_module("cron.jobs").create_job(prompt=prompt, schedule="every 1h")
    succeeded, _, reply, error = importlib.import_module("cron.scheduler").run_job(job)
    if not succeeded:
        raise RuntimeError(error or "the cron job failed")
    return str(reply)


class ServedSession:
    """A client's session with the backend of ``hermes serve``; it calls JSON-RPC methods without a network."""

    def __init__(self) -> None:
        retry_delays.skip_agent_delays()
        self._server: Any = importlib.import_module("tui_gateway.server")
        self._client = _Client()
        self._id = self._ask("session.create")["session_id"]

    def chat(self, text: str) -> str | None:
        """Submit a prompt, and return the reply once the turn is complete.

        Raises:
            RuntimeError: The backend reports an error.
        """
        self._client.ended.clear()
        self._ask("prompt.submit", session_id=self._id, text=text)
        self._client.ended.wait()
        kind, payload = self._client.end
        if kind == "error":
            raise RuntimeError(str(payload.get("message")))
        return payload.get("text")

    def end(self) -> None:
        """Close the session, as a client does."""
        self._ask("session.close", session_id=self._id)

    def _ask(self, method: str, **params: Any) -> Any:
        self._client.answered.clear()
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self._server.dispatch(request, self._client)
        if answer is None:
            # A worker thread of the backend sends the answer.
            self._client.answered.wait()
            answer = self._client.answer
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]


class _Client:
    """Transport of a client, which stores the last answer and the event that ended the last turn."""

    def __init__(self) -> None:
        self.answer: dict[str, Any] = {}
        self.answered = threading.Event()
        self.end: tuple[str, dict[str, Any]] = ("", {})
        self.ended = threading.Event()

    def write(self, obj: dict[str, Any]) -> bool:
        """Receive a frame; called by the host from any thread."""
        frame = json.loads(json.dumps(obj, default=repr))
        if "id" in frame:
            self.answer = frame
            self.answered.set()
        elif (params := frame.get("params", {})).get("type") in ("message.complete", "error"):
            self.end = (params["type"], params.get("payload") or {})
            self.ended.set()
        return True

    def close(self) -> None:
        """Do nothing."""
