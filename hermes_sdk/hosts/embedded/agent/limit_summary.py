"""The summary that the model is asked for when a turn has no requests left (D36)."""

from __future__ import annotations

import json
import logging
from typing import Any

from hermes_sdk.hosts.embedded.agent.response import strip_thinking
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.turn_history import TurnHistory
from hermes_sdk.hosts.embedded.providers.model_errors import ProviderError
from hermes_sdk.llm import wire
from hermes_sdk.llm.script import LaneName

_log = logging.getLogger("run_agent")

_ATTEMPTS = 2
_EARLIER_ATTEMPTS = 3
_SERVER_ERROR = 500
_REPEATED = frozenset({408, 409, 429})
"""Errors after which the client of earlier releases repeats a request, as after errors of the server."""


def request_summary(session: Session, history: TurnHistory) -> tuple[str, str]:
    """Return the model's summary, empty without one, and what the user reads."""
    wording, limit = session.runtime.state.wording, session.settings.max_iterations
    body = _build_body(session, history)
    try:
        for _ in range(_ATTEMPTS):
            if text := _ask(session, body):
                summary = strip_thinking(text)
                return summary, summary or wording("turn.no_summary")
    except ProviderError as error:
        _log.warning("Failed to get summary response: %s", error)
        return "", wording("turn.summary_failed", limit=limit, error=error)
    return "", wording("turn.no_summary")


def _build_body(session: Session, history: TurnHistory) -> dict[str, Any]:
    offers = session.behaviour.summaries_offer_tools
    body: dict[str, Any] = {"model": session.settings.model, "messages": history.make_request(compact=offers)}
    if offers:
        body["tools"] = session.tools
    if session.behaviour.request_reasoning_effort and session.settings.provider.profile is None:
        body["reasoning_effort"] = "medium"
    return body


def _ask(session: Session, body: dict[str, Any]) -> str:
    """Send one request, and return the text of the answer."""
    attempts = 1
    lane: LaneName = "main" if body.get("tools") else "aux"
    while True:
        # The scripted model keeps its requests.
        answer, _ = session.runtime.model.answer(lane, json.loads(json.dumps(body)))
        if answer.status is None:
            return (answer.text or "").strip()
        attempts -= 1
        if not attempts or (answer.status not in _REPEATED and answer.status < _SERVER_ERROR):
            raise ProviderError(answer.status, wire.error(answer))
