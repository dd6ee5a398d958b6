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
_SLICE = 0.05


@dataclass
class HumanInput:
    """A wait for a person; how it ended is an error unless `outcome` is set."""

    outcome: str = "error"


@contextmanager
def wait_for_person(
    hooks: Hooks, prompt: str, *, session_id: str, session_key: str, platform: str = "", kind: str = "approval"
) -> Generator[HumanInput]:
    """Fire the hooks around the wait for an approval or an answer; the default platform is that of the environment."""
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
    """The question did not reach the user."""


@dataclass
class Question:
    """One question; `answer` is None until there is one, and `answered` is set with it."""

    answer: Any = None
    reason: str | None = None
    answered: threading.Event = field(default_factory=threading.Event)


class Questions:
    """The unanswered questions, those of each session in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Question]] = {}

    @classmethod
    def of(cls, state: HostState) -> Questions:
        """Return the questions of a host, which its gateways share."""
        questions: Questions = state.memory.setdefault("approval_questions", cls())
        return questions

    def pending(self, key: str) -> bool:
        """Return whether a session has an unanswered question."""
        with self._lock:
            return bool(self._waiting.get(key))

    def answer(self, key: str, choice: Any, *, every: bool = False, reason: str | None = None) -> int:
        """Answer the first question of a session, or every one, and return how many that were."""
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
        """Keep a question open as long as the context is."""
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
    """A question of a model, with the choices that the user has; none if any text is an answer."""

    text: str
    choices: Sequence[str]


class Answers(NamedTuple):
    """The answers of a user in order, None for a skipped question; `notice` says why there are no more."""

    given: Sequence[str | None]
    notice: str = ""


def mark_recommended(choices: Sequence[str]) -> list[str]:
    """Mark the first of several choices as the recommended one."""
    if len(choices) < 2 or choices[0] != strip_recommended(choices[0]):
        return list(choices)
    return [f"{choices[0]} {_RECOMMENDED}", *choices[1:]]


def strip_recommended(choice: str) -> str:
    """Return a choice without the mark of the recommended one."""
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
    """Answer the first question of a chat, or every one, as the button of an adapter does; return how many.

    Raises:
        NotSupported: The button names a request.
    """
    if request_id:
        raise state.unsupported("answer an approval request by its ID")
    return Questions.of(state).answer(session_key, choice, every=resolve_all, reason=reason)


@dataclass(frozen=True)
class Asker:
    """Asks the user of one chat.

    Attributes:
        notify: Sends the question to the user, with whether the answer may apply later too.
        interrupted: Tells whether the turn was stopped meanwhile.
        on_timeout: Called when the user did not answer in time.
        clarify: Asks questions of a model.
        judge: Asks a model about a command and why it is suspicious; returns ``approve``, ``deny`` or ``escalate``.
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
        self, hooks: Hooks, request: Mapping[str, Any], seconds: float, *, keeps: bool, unsent_told: bool
    ) -> tuple[Outcome, str | None]:
        """Ask, wait at most some seconds, and return the choice and its reason; hooks see both question and answer.

        `unsent_told` says whether hooks learn of a question that could not be sent.

        Raises:
            NotAsked: The question could not be sent.
        """
        about = {"session_id": request.get("session_id", ""), "session_key": self.session_key}
        with wait_for_person(hooks, request["command"], **about, platform=self.platform) as human:
            outcome, reason = self._ask(hooks, {**request, "surface": "gateway"}, seconds, keeps, unsent_told, human)
        return outcome, reason

    def _ask(
        self,
        hooks: Hooks,
        request: Mapping[str, Any],
        seconds: float,
        keeps: bool,
        unsent_told: bool,
        human: HumanInput,
    ) -> tuple[Outcome, str | None]:
        with self.questions.open(self.session_key) as question:
            hooks.fire("pre_approval_request", **request)
            try:
                self.notify(request, keeps)
            except HermesSdkError:
                raise
            except Exception as error:
                if unsent_told:
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
        while not question.answered.wait(min(_SLICE, max(0.0, deadline - time.monotonic()))):
            if self.interrupted():
                question.answer = "deny"
                return
            if time.monotonic() >= deadline:
                return


asker: ContextVar[Asker | None] = ContextVar("asker", default=None)


"""Who asks in the current turn; None where nobody can be asked."""
