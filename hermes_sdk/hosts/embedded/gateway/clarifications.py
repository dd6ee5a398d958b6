"""Questions of a model to the user of a chat, answered by the next message or a button (D33)."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.approval.prompts import (
    Answers,
    ClarifyingQuestion,
    mark_recommended,
    strip_recommended,
    wait_for_person,
)
from hermes_sdk.hosts.embedded.gateway.adapter.sending import thread_metadata
from hermes_sdk.hosts.embedded.services.platform_actions import GATEWAY
from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("gateway.run")

SKIPPED = "\0skipped"
"""Answer of an adapter's button that skips a question, on releases with `questions_required`."""

_SEND_SECONDS = 15.0
_DEFAULT_SECONDS = 3600
_SLICE = 0.05


@dataclass(eq=False)
class _PendingQuestion:
    """Question in a chat; `answer` is None if it was skipped; `is_foreign` marks answers that are not choices."""

    id: str
    choices: Sequence[str]
    takes_text: bool
    answer: str | None = None
    is_foreign: bool = False
    answered: threading.Event = field(default_factory=threading.Event)


class _Unanswered(Exception):
    """Raised if a question has no answer; the message explains why."""


class Clarifications:
    """Unanswered questions, at most one per chat."""

    def __init__(self, runtime: Runtime) -> None:
        self._state = runtime.state
        self._hooks = runtime.hooks
        self._waiting: dict[str, _PendingQuestion] = {}

    def has_question(self, key: str) -> bool:
        """Return whether a chat has an unanswered question."""
        return key in self._waiting

    def allow_text(self, clarify_id: str) -> bool:
        """Accept any text as the answer to a question; return False if the question is unknown."""
        waiting = self._find(clarify_id)
        if waiting is not None:
            waiting.takes_text = True
        return waiting is not None

    def press(self, clarify_id: str, response: str | None) -> bool:
        """Answer a question as an adapter's button does; return False if it is unknown or answered.

        Raises:
            NotSupported: On this release, a quick second answer replaces the first.
        """
        waiting = self._find(clarify_id)
        if waiting is None:
            return False
        behaviour = self._state.behaviour
        if waiting.answered.is_set():
            if not behaviour.first_choice_recommended:
                raise self._state.unsupported("answer a question of `clarify` a second time")
            return False
        answer = "" if response is None else str(response)
        if behaviour.questions_required and answer.startswith("\0") and answer != SKIPPED:
            raise self._state.unsupported("answer `clarify` with a signal of the host")
        waiting.answer = None if behaviour.questions_required and answer == SKIPPED else answer
        waiting.answered.set()
        return True

    def _find(self, clarify_id: str) -> _PendingQuestion | None:
        return next((one for one in [*self._waiting.values()] if one.id == clarify_id), None)

    def answer(self, key: str, text: str) -> bool:
        """Answer the question of a chat with a text; return False if there is no question or the text is a command."""
        waiting, text = self._waiting.get(key), text.strip()
        if waiting is None or not text or text.startswith("/"):
            return False
        choice = self._find_choice(waiting.choices, text)
        if choice is None and text.casefold() == "skip" and self._state.behaviour.questions_required:
            text = ""
        waiting.is_foreign = choice is None and bool(text) and not waiting.takes_text
        waiting.answer = choice or text or None
        waiting.answered.set()
        return True

    def ask(
        self,
        loop: asyncio.AbstractEventLoop,
        adapter: Any,
        source: Any,
        stop: threading.Event,
        key: str,
        questions: Sequence[ClarifyingQuestion],
    ) -> Answers:
        """Ask the user of a chat from the thread of a turn, one question after another."""
        prompt = "\n".join(one.text for one in questions)
        session_id = self._state.session_variables.get("HERMES_SESSION_ID")
        about = {"session_id": session_id, "session_key": key, "platform": source.platform.value}
        answers: list[str | None] = []
        with wait_for_person(self._hooks, prompt, kind="clarify", **about) as human:
            for one in questions:
                try:
                    answers.append(self._ask(loop, adapter, source, stop, key, one))
                except _Unanswered as error:
                    human.outcome = "timed_out"
                    return Answers(answers, str(error))
            human.outcome = "submitted"
        return Answers(answers)

    def _ask(
        self,
        loop: asyncio.AbstractEventLoop,
        adapter: Any,
        source: Any,
        stop: threading.Event,
        key: str,
        question: ClarifyingQuestion,
    ) -> str | None:
        seconds = self._state.config.read().get("agent", {}).get("clarify_timeout", _DEFAULT_SECONDS)
        if type(seconds) is not int or seconds <= 0:
            raise self._state.unsupported(f"wait for an answer with agent.clarify_timeout: {seconds!r}")
        if hasattr(type(adapter), "retire_clarify_card"):
            raise self._state.unsupported("retire the question of an adapter")
        text = question.text
        if self._state.behaviour.questions_required:
            text = f"{text}\n{self._state.wording('gateway.clarify.skip_hint')}"
        marks = self._state.behaviour.first_choice_recommended
        choices = mark_recommended(question.choices) if marks else list(question.choices)
        waiting = self._waiting[key] = _PendingQuestion(uuid.uuid4().hex[:10], choices, takes_text=not choices)
        try:
            adapter.pause_typing_for_chat(source.chat_id)
            sending = adapter.send_clarify(
                chat_id=source.chat_id,
                question=text,
                choices=choices or None,
                clarify_id=waiting.id,
                session_key=key,
                metadata=thread_metadata(source),
            )
            self._send(loop, sending)
            self._wait(waiting, stop, seconds)
            if waiting.is_foreign and marks:
                raise self._state.unsupported("answer `clarify` with another text than the choices of an adapter")
        finally:
            del self._waiting[key]
        if waiting.answer == "":
            raise _Unanswered(_format_unanswered(seconds))
        return waiting.answer

    def _find_choice(self, choices: Sequence[str], text: str) -> str | None:
        """Return the choice that a text selects by number or by wording, or None."""
        try:
            number = int(text)
        except ValueError:
            number = 0
        if 1 <= number <= len(choices):
            return choices[number - 1]
        plain = strip_recommended if self._state.behaviour.first_choice_recommended else str
        return next((one for one in choices if plain(one).casefold() == plain(text).casefold()), None)

    def _send(self, loop: asyncio.AbstractEventLoop, sending: Any) -> None:
        try:
            is_sent = asyncio.run_coroutine_threadsafe(sending, loop).result(_SEND_SECONDS).success
        except Exception as error:
            _log.warning("Clarify send failed: %s", error)
            is_sent = False
        if is_sent:
            return
        if self._state.behaviour.questions_required:
            raise self._state.unsupported("ask again with `clarify` when an adapter cannot send the question")
        raise _Unanswered("[clarify prompt could not be delivered]")

    def _wait(self, waiting: _PendingQuestion, stop: threading.Event, seconds: int) -> None:
        deadline = time.monotonic() + seconds
        while not waiting.answered.wait(_SLICE):
            if stop.is_set():
                raise self._state.unsupported("stop a turn that waits for an answer to `clarify`")
            if time.monotonic() >= deadline:
                raise _Unanswered(_format_unanswered(seconds))


def _format_unanswered(seconds: int) -> str:
    return f"[user did not respond within {seconds // 60}m]"


def allow_text(state: HostState, clarify_id: str) -> bool:
    """Accept any text as the answer to a question of the running gateway; see `Clarifications.allow_text`."""
    gateway = state.memory.get(GATEWAY)
    return gateway is not None and gateway.clarifications.allow_text(clarify_id)


def press(state: HostState, clarify_id: str, response: str | None) -> bool:
    """Answer a question of the running gateway; see `Clarifications.press`."""
    gateway = state.memory.get(GATEWAY)
    return gateway is not None and gateway.clarifications.press(clarify_id, response)
