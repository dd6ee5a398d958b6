"""Approval prompts to the user of a chat, for which a turn waits (D25, D31)."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.state import HostState

_RECOMMENDED = "(Recommended)"
Outcome = Literal["once", "session", "always", "deny", "timeout", "cancelled"]
_POLL_INTERVAL = 0.05


@dataclass
class HumanInput:
    """A wait for user input; `outcome` stays ``error`` unless it is set."""

    outcome: str = "error"


@contextmanager
def wait_for_person(
    hooks: Hooks, prompt: str, *, session_id: str, session_key: str, platform: str = "", kind: str = "approval"
) -> Generator[HumanInput]:
    """Fire the hooks around a wait for user input; `platform` defaults to the platform in the environment."""
    wait = HumanInput()
    about = {
        "kind": kind,
        "request_id": os.urandom(16).hex(),
        "session_id": session_id,
        "session_key": session_key,
        "platform": platform or os.environ.get("HERMES_PLATFORM") or os.environ.get("HERMES_SESSION_PLATFORM") or "cli",
        "prompt": prompt,
    }
    hooks.fire("on_human_input_request", **about)
    try:
        yield wait
    finally:
        hooks.fire("on_human_input_resolved", **about, outcome=wait.outcome)


class NotAsked(Exception):
    """Raised for a question that could not be sent to the user."""


@dataclass
class Question:
    """An open question; `answered` is set together with `answer`."""

    answer: Any = None
    reason: str | None = None
    answered: threading.Event = field(default_factory=threading.Event)


class Questions:
    """Unanswered questions by session, in the order in which they were asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Question]] = {}

    @classmethod
    def of(cls, state: HostState) -> Questions:
        """Return the questions of a host, which are shared by its gateways."""
        questions: Questions = state.memory.setdefault("approval_questions", cls())
        return questions

    def pending(self, key: str) -> bool:
        """Return whether a session has an unanswered question."""
        with self._lock:
            return bool(self._waiting.get(key))

    def answer(self, key: str, choice: Any, *, every: bool = False, reason: str | None = None) -> int:
        """Answer the first question of a session, or every one, and return the number of answered questions."""
        with self._lock:
            waiting = self._waiting.get(key, [])
            answered = waiting[: None if every else 1]
            del waiting[: len(answered)]
        for one in answered:
            one.answer, one.reason = choice, reason
            one.answered.set()
        return len(answered)

    @contextlib.contextmanager
    def open(self, key: str) -> Generator[Question]:
        """Open a question for the duration of the context."""
        question = Question()
        with self._lock:
            self._waiting.setdefault(key, []).append(question)
        try:
            yield question
        finally:
            with self._lock, contextlib.suppress(ValueError, KeyError):
                self._waiting[key].remove(question)
                if not self._waiting[key]:
                    del self._waiting[key]


class ClarifyingQuestion(NamedTuple):
    """A question of a model; without choices, the user answers with any text."""

    text: str
    choices: Sequence[str]


class Answers(NamedTuple):
    """A user's answers in order, None for skipped questions; `notice` explains missing answers."""

    given: Sequence[str | None]
    notice: str = ""


def mark_recommended(choices: Sequence[str]) -> list[str]:
    """Mark the first of several choices as the recommended one."""
    if len(choices) < 2 or choices[0] != strip_recommended(choices[0]):
        return list(choices)
    return [f"{choices[0]} {_RECOMMENDED}", *choices[1:]]


def strip_recommended(choice: str) -> str:
    """Remove the recommendation mark from a choice."""
    stripped = choice.strip()
    is_marked = stripped.casefold().endswith(_RECOMMENDED.casefold())
    return stripped[: -len(_RECOMMENDED)].strip() if is_marked else stripped


def resolve(
    state: HostState,
    session_key: str,
    choice: str,
    resolve_all: bool = False,
    reason: str | None = None,
    request_id: str | None = None,
) -> int:
    """Answer the first question of a chat, or every one, like an adapter's button; return the number of answers.

    Raises:
        NotSupported: The answer is for a specific request.
    """
    if request_id:
        raise state.unsupported("answer an approval request by its ID")
    return Questions.of(state).answer(session_key, choice, every=resolve_all, reason=reason)


@dataclass(frozen=True)
class Asker:
    """Asks the user of one chat.

    Attributes:
        notify: Sends a request to the user; the flag is whether an answer can apply to later calls.
        interrupted: Returns whether the turn was stopped.
        on_timeout: Called when the user does not answer in time.
        clarify: Asks the questions of a model.
        judge: Asks a model about a command and its risk; returns ``approve``, ``deny`` or ``escalate``.
    """

    session_key: str
    platform: str
    questions: Questions
    notify: Callable[[Mapping[str, Any], bool], None]
    interrupted: Callable[[], bool]
    judge: Callable[[str, str], str]
    on_timeout: Callable[[], None]
    clarify: Callable[[Sequence[ClarifyingQuestion]], Answers]

    def ask(
        self, hooks: Hooks, request: Mapping[str, Any], seconds: float, *, keeps: bool, reports_unsent: bool
    ) -> tuple[Outcome, str | None]:
        """Ask for approval, firing the hooks, and return the choice and its reason.

        `seconds` is the timeout; with `reports_unsent`, hooks also receive requests that could not be sent.

        Raises:
            NotAsked: The question could not be sent.
        """
        about = {"session_id": request.get("session_id", ""), "session_key": self.session_key}
        with wait_for_person(hooks, request["command"], **about, platform=self.platform) as human:
            outcome, reason = self._ask(hooks, {**request, "surface": "gateway"}, seconds, keeps, reports_unsent, human)
        return outcome, reason

    def _ask(
        self,
        hooks: Hooks,
        request: Mapping[str, Any],
        seconds: float,
        keeps: bool,
        reports_unsent: bool,
        human: HumanInput,
    ) -> tuple[Outcome, str | None]:
        with self.questions.open(self.session_key) as question:
            hooks.fire("pre_approval_request", **request)
            try:
                self.notify(request, keeps)
            except HermesSdkError:
                raise
            except Exception as error:
                if reports_unsent:
                    hooks.fire("post_approval_response", **request, choice="notify_failed")
                human.outcome = "notify_failed"
                raise NotAsked from error
            self._wait(question, seconds)
        outcome: Outcome = question.answer or "timeout"
        human.outcome = outcome
        if outcome == "timeout":
            self.on_timeout()
        cause = {"cancelled": question.reason} if outcome == "cancelled" else {}
        hooks.fire("post_approval_response", **request, choice=outcome, **cause)
        return outcome, question.reason

    def _wait(self, question: Question, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not question.answered.wait(min(_POLL_INTERVAL, max(0.0, deadline - time.monotonic()))):
            if self.interrupted():
                question.answer = "deny"
                return
            if time.monotonic() >= deadline:
                return


asker: ContextVar[Asker | None] = ContextVar("asker", default=None)
"""The asker of the current turn; None if nobody can be asked."""
