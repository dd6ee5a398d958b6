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


def request_summary(session: Session, history: TurnHistory) -> str:
    """Return the model's summary, or what the user reads instead of one."""
    wording, limit = session.runtime.state.wording, session.settings.max_iterations
    body = _build_body(session, history)
    try:
        for _ in range(_ATTEMPTS):
            if text := _ask(session, body):
                return strip_thinking(text) or wording("turn.no_summary")
    except ProviderError as error:
        _log.warning("Failed to get summary response: %s", error)
        return wording("turn.summary_failed", limit=limit, error=error)
    return wording("turn.no_summary")


def _build_body(session: Session, history: TurnHistory) -> dict[str, Any]:
    offers = session.behaviour.summaries_offer_tools
    body: dict[str, Any] = {"model": session.settings.model, "messages": history.make_request(compact=offers)}
    if offers:
        body["tools"] = session.tools
    if session.behaviour.requests_ask_for_reasoning and session.settings.provider.profile is None:
        body["reasoning_effort"] = "medium"
    return body


def _ask(session: Session, body: dict[str, Any]) -> str:
    """Send one request, and return the text of the answer."""
    lane: LaneName = "main" if body.get("tools") else "aux"
    # The scripted model keeps its requests.
    answer, _ = session.runtime.model.answer(lane, json.loads(json.dumps(body)))
    if answer.status is not None:
        raise ProviderError(answer.status, wire.error(answer))
    return (answer.text or "").strip()
