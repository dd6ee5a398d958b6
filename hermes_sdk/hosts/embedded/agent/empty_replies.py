"""Recovery from empty responses of a model, and replies of turns that end without one."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from hermes_sdk.hosts.embedded.agent.response import NormalizedResponse, ToolCall, strip_thinking
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.turn_history import HELPS_MODEL, TurnHistory
from hermes_sdk.hosts.embedded.providers.model_errors import ProviderError
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.llm import wire
from hermes_sdk.llm.script import LaneName

_MAX_RETRIES = 3
_MAX_THOUGHTS = 2
_MAX_QUOTE = 500
_EMPTY = "(empty)"
PREFILL = "_thinking_prefill"
"""Marks a message with only thoughts, from which the model continues."""
_HOUSEKEEPING = frozenset({"memory", "session_search", "skill_manage", "todo", "todo_list"})
"""Tools that do not contribute to the reply."""
EMPTY_EXIT = "empty_response_exhausted"
LIMIT_EXIT = "max_iterations_reached"
SAVED_TEXT_EXIT = "fallback_prior_turn_content"
_CAUSES = {
    EMPTY_EXIT: "empty_response",
    LIMIT_EXIT: "exit.max_iterations_reached",
    SAVED_TEXT_EXIT: f"exit.{SAVED_TEXT_EXIT}",
}
_MAX_FRAGMENT = 24
_SENTENCE_ENDS = frozenset(".!?。！？`)")
_log = logging.getLogger("run_agent")
_SUMMARY_ATTEMPTS = 2


class EmptyReplies:
    """Recovers from empty responses during one turn."""

    def __init__(self, history: TurnHistory, session: Session) -> None:
        self._history = history
        self._state = session.runtime.state
        self._model = session.settings.model
        self._status = session.status
        self._count = 0
        self._thoughts = 0
        self._asked_to_use_results = False
        self._saved_text: str | None = None

    def note_calls(self, text: str, calls: Sequence[ToolCall]) -> None:
        """Record a response with tool calls; its text becomes the reply if only housekeeping follows."""
        self._asked_to_use_results = False
        messages = self._history.messages
        while messages[-1].get(PREFILL):
            messages.pop()
            self._count = self._thoughts = 0
        keeps_house = all(call.name in _HOUSEKEEPING for call in calls)
        if text:
            self._saved_text = text if keeps_house else None
        elif not keeps_house:
            self._saved_text = None

    def take_saved_text(self) -> str | None:
        """Return and clear the text saved as the reply, or None; report its use to the user."""
        text, self._saved_text = self._saved_text, None
        if text is not None:
            self._status.tell(self._state.wording("status.kept_reply"))
        return text

    def recover(self, answer: NormalizedResponse) -> str | None:
        """Prepare the next attempt and return None, or give up and return the reply."""
        messages = self._history.messages
        message = self._history.make_answer(answer, answer.finish_reason)
        used_tools = any(one["role"] == "tool" for one in messages[-5:])
        has_tag = "<think>" in (answer.content or "")
        wording = self._state.wording
        if used_tools and not self._asked_to_use_results and not has_tag:
            self._asked_to_use_results = True
            self._saved_text = None
            self._status.hold(wording("status.use_results"))
            self._history.append({**message, "content": _EMPTY, HELPS_MODEL: True})
            prompt = wording("turn.use_results")
            self._history.append({"role": "user", "content": prompt, HELPS_MODEL: True})
            return None
        if (answer.reasoning or answer.reasoning_content or has_tag) and self._thoughts < _MAX_THOUGHTS:
            self._thoughts += 1
            self._status.hold(wording("status.thoughts", number=self._thoughts))
            self._history.append({**message, "finish_reason": "incomplete", PREFILL: True})
            return None
        if self._count < _MAX_RETRIES:
            self._count += 1
            self._status.hold(wording("status.empty", number=self._count))
            return None
        thoughts = answer.reasoning or answer.reasoning_content
        self._status.release()
        self._status.tell(wording("status.thoughts_alone" if thoughts else "status.no_answer"))
        if self._asked_to_use_results and not self._state.behaviour.empty_replies_explained_last:
            # Drop the tool calls whose results the model ignored, and the recovery messages.
            while messages[-1] is not self._history.user:
                messages.pop()
        self._history.drop_recovery()
        if messages[-1]["role"] != "assistant":
            self._history.add({"role": "assistant", "content": _EMPTY})
        if self._state.behaviour.empty_replies_explained_last:
            return _EMPTY
        if thoughts and self._state.behaviour.thoughts_quoted:
            cut = f"{thoughts[:_MAX_QUOTE]}..." if len(thoughts) > _MAX_QUOTE else thoughts
            return wording("turn.thoughts_alone", thoughts=cut)
        return wording("turn.no_reply", model=self._model)


def explain_missing_reply(reply: str, exit_reason: str, model: str, state: HostState) -> str:
    """Append the exit reason to a reply, on releases that do so after ``transform_llm_output``."""
    cause = _CAUSES.get(exit_reason.partition("(")[0])
    if cause is None or not state.behaviour.empty_replies_explained_last:
        return reply
    notice = state.wording(f"explainer.no_reply_prefixexplainer.{cause}", model=model)
    return complete_reply("" if reply.strip() == "(empty)" else reply, notice)


def complete_reply(reply: str, notice: str) -> str:
    """Append a notice to a reply that is empty or a fragment."""
    text = reply.strip()
    return reply if len(text) > _MAX_FRAGMENT or text[-1:] in _SENTENCE_ENDS else f"{text}\n\n{notice}".strip()


def request_summary(session: Session, history: TurnHistory) -> str:
    """Return the model's summary, or an explanation if the model gives none."""
    wording, limit = session.runtime.state.wording, session.settings.max_iterations
    body = _build_body(session, history)
    try:
        for _ in range(_SUMMARY_ATTEMPTS):
            if text := _send(session, body):
                return strip_thinking(text, session.behaviour) or wording("turn.no_summary")
    except ProviderError as error:
        _log.warning("Failed to get summary response: %s", error)
        return wording("turn.summary_failed", limit=limit, error=error)
    return wording("turn.no_summary")


def _build_body(session: Session, history: TurnHistory) -> dict[str, Any]:
    request = history.make_request(compact=session.behaviour.summaries_compact)
    messages = [{key: value for key, value in one.items() if key != "reasoning"} for one in request]
    body: dict[str, Any] = {"model": session.settings.model, "messages": messages}
    if session.tools and session.behaviour.summaries_offer_tools:
        body["tools"] = session.tools
    if session.behaviour.requests_ask_for_reasoning and session.settings.provider.profile is None:
        body["reasoning_effort"] = "medium"
    return body


def _send(session: Session, body: dict[str, Any]) -> str:
    """Send one request and return the text of the response."""
    lane: LaneName = "main" if body.get("tools") else "aux"
    answer, _ = session.runtime.model.answer(lane, body)
    if answer.status is not None:
        raise ProviderError(answer.status, wire.error(answer), session.runtime.state)
    return (answer.text or "").strip()
