"""The chat of a CLI user: consecutive sessions, and the events of each turn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from hermes_sdk.hosts.embedded.agent.delegation import delegate
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.turn import Turn
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.interface import HookCalls, RawTurn

_PLATFORM = "cli"


def begin_turn(
    session: Session, text: str, task_id: str | None = None, notes: str = "", about: Mapping[str, Any] | None = None
) -> Turn:
    """Create a turn that can delegate tasks to child sessions; see `Turn`.

    Raises:
        NotSupported: The text has a reference that a plugin expands, or a plugin patched Hermes.
    """
    session.runtime.state.require_originals("turn")
    session.runtime.registrations.context_references.require_unused(text)
    return Turn(session, text, partial(delegate, chat), task_id, notes, about)


def chat(session: Session, text: str, task_id: str | None = None) -> RawTurn:
    """Run a turn of a session and its background work; the caller adds the events to the result.

    If the turn raises, the history is restored.
    """
    before = [*session.history]
    turn = begin_turn(session, text, task_id)
    try:
        turn.run()
    except BaseException:
        session.history[:] = before
        raise
    _run_background(session)
    if session.memory:
        session.memory.settle()
    return {
        "reply": turn.reply,
        "completed": turn.completed,
        "interrupted": turn.interrupted,
        "error": turn.error,
        "messages": [dict(message) for message in session.history],
        "start": min(len(before), len(session.history)),
        "events": [],
    }


def _run_background(session: Session) -> None:
    """Run the background work on a thread, like the host, but wait for it so that tests are deterministic."""
    waiting, session.background = session.background, []
    if waiting:
        with Workers(1, "async-delegate") as workers:
            for future in [workers.submit(work) for work in waiting]:
                future.result()


class Conversation:
    """The chat of a CLI user."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._recording = runtime.state.recording
        self._session: Session | None = None

    def chat(self, text: str) -> RawTurn:
        """Run a turn; the first one opens the session."""
        with self._recording.section() as section:
            self._session = self._session or Session(self._runtime, _PLATFORM)
            turn = chat(self._session, text)
        return {**turn, "events": section.events}

    def renew(self) -> None:
        """Start a new session, like ``/new``; does nothing before the first turn (D12)."""
        if self._session is not None:
            self._session = self._session.renew()

    def finish(self) -> HookCalls:
        """End the session, if one is open."""
        session, self._session = self._session, None
        if session is None:
            return HookCalls()
        with self._recording.section() as section:
            session.finish("shutdown")
        return HookCalls.among(section.events)
