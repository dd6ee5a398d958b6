"""``pre_auxiliary_call`` and ``post_auxiliary_call``, which fire around each attempt of a request (N55)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.hook_payload import reduce_payload, summarise_tokens
from hermes_sdk.hosts.embedded.hooks import Hooks

_NO_TURN: Mapping[str, str] = dict.fromkeys(("session_id", "task_id", "turn_id", "platform"), "")

current_turn: ContextVar[Mapping[str, str]] = ContextVar("current_turn", default=_NO_TURN)
"""IDs and platform of the turn that makes a request; empty outside of turns."""


class Route(NamedTuple):
    """The task and the destination of a request."""

    task: str
    provider: str
    base_url: str


class AuxiliaryHooks:
    """Fires the hooks around the attempts of one request."""

    def __init__(self, hooks: Hooks, route: Route, body: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        self._hooks = hooks
        self._body = {**body, "extra_body": dict(extra)} if extra else dict(body)
        self._messages = body["messages"]
        self._attempts = 0
        self._about: dict[str, Any] = {
            **current_turn.get(),
            "aux_task": route.task,
            "api_request_id": f"aux-{uuid.uuid4().hex}",
            "model": body["model"],
            "provider": route.provider,
            "base_url": route.base_url,
            "api_mode": "chat_completions",
            "streaming": False,
            "message_count": len(self._messages),
        }

    def report_request(self) -> None:
        """Fire ``pre_auxiliary_call`` for the next attempt."""
        self._about |= {
            "retry_count": self._attempts,
            "api_call_count": self._attempts + 1,
            "started_at": time.time(),
        }
        self._attempts += 1
        first = self._messages[0] if self._messages else {}
        characters = sum(len(str(one.get("content") or "")) for one in self._messages)
        self._hooks.fire(
            "pre_auxiliary_call",
            **self._about,
            request_messages=list(self._messages),
            system_prompt=first.get("content", "") if first.get("role") == "system" else "",
            tool_count=0,
            approx_input_tokens=characters // 4,
            request_char_count=characters,
            max_tokens=self._body.get("max_tokens"),
            request=reduce_payload({"method": "POST", "body": self._body}),
        )

    def report_error(self, error: Exception) -> None:
        """Fire ``post_auxiliary_call`` for a failed attempt."""
        kind = type(error).__name__
        self._report(
            error=f"{kind}: {error}"[:2000],
            error_type=kind,
            finish_reason=None,
            response_model=None,
            usage=None,
            response=None,
            assistant_content_chars=0,
            assistant_tool_call_count=0,
        )

    def report_answer(self, whole: Mapping[str, Any]) -> None:
        """Fire ``post_auxiliary_call`` for an answer in the format of the API."""
        choice = whole["choices"][0]
        text, calls = choice["message"].get("content"), choice["message"].get("tool_calls") or []
        message = {"role": "assistant", "content": text, "tool_calls": calls}
        finish_reason, usage = choice["finish_reason"], whole["usage"]
        self._report(
            error=None,
            error_type=None,
            finish_reason=finish_reason,
            response_model=whole["model"],
            usage=summarise_tokens(usage["prompt_tokens"], usage["completion_tokens"]) if usage else None,
            response=reduce_payload(
                # Hermes omits the usage here.
                {
                    "model": whole["model"],
                    "finish_reason": finish_reason,
                    "assistant_message": message,
                    "usage": None,
                }
            ),
            assistant_content_chars=len(text or ""),
            assistant_tool_call_count=len(calls),
        )

    def _report(self, **outcome: Any) -> None:
        ended = time.time()
        duration = max(0.0, ended - self._about["started_at"])
        self._hooks.fire("post_auxiliary_call", **self._about, ended_at=ended, api_duration=duration, **outcome)
