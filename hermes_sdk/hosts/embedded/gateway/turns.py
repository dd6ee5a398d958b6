"""The turns of a gateway: the agent of each chat, in threads of their own, one turn of a chat after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent.origin import Origin
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.approval.prompts import Asker, Questions, asker
from hermes_sdk.hosts.embedded.gateway import transcript

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime
    from hermes_sdk.hosts.embedded.agent.turn import Turn
    from hermes_sdk.hosts.embedded.gateway.sessions import SessionEntry

_MOST_THREADS = 10
_SEND_SECONDS = 15.0

Schedule = Callable[[Any], Any]


class Agents:
    """The agents of the chats that have one.

    Args:
        runtime: What a session needs of its host.
        judge: Asks a model about a command; see `Asker`.

    Attributes:
        questions: What the agents ask the users.
    """

    def __init__(self, runtime: Runtime, judge: Callable[[str, str], str]) -> None:
        self._runtime = runtime
        self._judge = judge
        self._workers: Workers | None = None
        self._sessions: dict[str, Session] = {}
        self._running: dict[str, Turn | None] = {}
        self._at_work: set[str] = set()
        self.questions = Questions()

    @property
    def running(self) -> dict[str, str]:
        """The chats whose turn runs, with the ids of their sessions."""
        return {key: session.id for key, session in self._sessions.items() if key in self._running}

    def is_running(self, key: str) -> bool:
        """Tell whether a turn of a chat runs."""
        return key in self._running

    @property
    def at_work(self) -> list[str]:
        """The chats for which a thread works, be its turn stopped or not."""
        return sorted(self._at_work)

    def begin(self, key: str) -> None:
        """Hold a chat for busy before its turn begins."""
        self._running[key] = None

    def end(self, key: str) -> None:
        """Hold a chat for idle."""
        self._running.pop(key, None)

    def turn(self, key: str) -> Turn | None:
        """The turn of a chat that runs, or None before it has begun."""
        return self._running.get(key)

    def stop(self, key: str) -> None:
        """Stop the turn of a chat that runs."""
        session = self._sessions.get(key)
        if session and session.origin and key in self._running:
            session.origin.stop.set()
            self.questions.answer(key, "deny", every=True)

    def session(self, entry: SessionEntry, make: Callable[[], Origin], platform: str) -> Session:
        """The agent of a chat; a new one where there is none for its current session."""
        known = self._sessions.get(entry.session_key)
        if known is None or known.id != entry.session_id:
            known = self._sessions[entry.session_key] = Session(
                self._runtime.with_current_config(), platform, origin=make()
            )
        return known

    async def take(self, session: Session, text: str, notes: str, notify: Schedule) -> Turn:
        """Take a turn in a thread.

        Args:
            session: The agent.
            text: What the user says.
            notes: What the model is told beside it.
            notify: Starts to tell the user something; returns a future of it.
        """
        behaviour = session.runtime.behaviour
        if self._workers is None:
            name = "hermes-gateway" if behaviour.gateway_threads_named else "asyncio"
            self._workers = Workers(_MOST_THREADS, name)
        return await asyncio.wrap_future(self._workers.submit(self._taken, session, text, notes, notify))

    def _taken(self, session: Session, text: str, notes: str, notify: Schedule) -> Turn:
        assert session.origin is not None
        session.origin.stop.clear()
        behaviour = session.runtime.behaviour
        session.history[:] = transcript.replayed(session.history, behaviour)
        begins = len(session.history)

        def tell(request: Mapping[str, Any], keeps: bool) -> None:
            notify((request, keeps)).result(_SEND_SECONDS)

        key = session.origin.session_key
        self._at_work.add(key)
        token = asker.set(Asker(key, self.questions, tell, session.origin.stop.is_set, self._judge))
        try:
            return session.take(text, session.id, notes, lambda turn: self._running.__setitem__(key, turn))
        finally:
            asker.reset(token)
            self._at_work.discard(key)
            for message in session.history[begins:]:
                if message["role"] == "user":
                    transcript.stamp(message, behaviour)

    def forget(self, key: str) -> None:
        """Let the next message of a chat have a new agent."""
        self._sessions.pop(key, None)

    async def close(self, key: str) -> None:
        """End the agent of a chat: its memory provider and its context engine."""
        session = self._sessions.pop(key, None)
        if session is not None and self._workers is not None:
            await asyncio.wrap_future(self._workers.submit(session.close))

    async def close_all(self) -> None:
        """End every agent, and the threads."""
        for key in list(self._sessions):
            await self.close(key)
        if self._workers is not None:
            self._workers.close()
