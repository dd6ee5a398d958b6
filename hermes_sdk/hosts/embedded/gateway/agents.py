"""Agents of the chats: their sessions, and their turns in worker threads."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.conversation import begin_turn
from hermes_sdk.hosts.embedded.agent.message_rows import restore_marks
from hermes_sdk.hosts.embedded.agent.origin import Origin
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.token_estimate import estimate_messages
from hermes_sdk.hosts.embedded.agent.turn import Turn
from hermes_sdk.hosts.embedded.agent.turn_history import HELPS_MODEL, HIDDEN
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.approval.prompts import Asker, Questions, asker
from hermes_sdk.hosts.embedded.gateway.sessions import SessionEntry

_MOST_THREADS = 10
_MOST_HOUSEKEEPERS = 2
_FEW = 4
_FULL = 0.85
"""Share of the context window at which Hermes compresses a chat's history between turns, unless it has few messages."""
_STORED = {
    "user": ("api_content", "timestamp"),
    "assistant": ("api_content", "finish_reason", "reasoning", "reasoning_content", "reasoning_details", "tool_calls"),
    "tool": ("tool_call_id", "tool_calls"),
}
"""Fields of a message that the host's database stores, besides role and content."""


_REFERENCE = re.compile(r"(?<![\w/])@(?:(?:diff|staged)\b|(?:file|folder|git|url):\S)")
"""References that Hermes expands in a message."""


class Agents:
    """The agent of each chat, and its current turn."""

    def __init__(self, runtime: Runtime, questions: Questions) -> None:
        self._runtime = runtime
        self._questions = questions
        self._workers = Workers(_MOST_THREADS, "hermes-gateway")
        self._housekeepers = Workers(_MOST_HOUSEKEEPERS, "hermes-gateway-hk")
        self._sessions: dict[str, Session] = {}
        self._running: dict[str, Turn | None] = {}
        self._in_thread: set[str] = set()
        self._generations: Counter[str] = Counter()

    @property
    def running(self) -> dict[str, str]:
        """The keys of the chats with a current turn, and the ids of their sessions."""
        return {key: session.id for key, session in self._sessions.items() if key in self._running}

    @property
    def in_thread(self) -> list[str]:
        """The keys of the chats with a busy thread, including those whose turn was stopped."""
        return sorted(self._in_thread)

    async def run_in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        """Call a function in a thread of the gateway."""
        return await asyncio.wrap_future(self._workers.submit(work, *args))

    def is_running(self, key: str) -> bool:
        """Return whether a chat has a turn that runs or is about to begin."""
        return key in self._running

    def begin(self, key: str) -> None:
        """Mark a chat as running before its turn begins."""
        self._running[key] = None

    def end(self, key: str) -> None:
        """Mark a chat as idle."""
        self._running.pop(key, None)

    def find_turn(self, key: str) -> Turn | None:
        """Return the current turn of a chat, or None if none has begun."""
        return self._running.get(key)

    def stop(self, key: str, why: str = "explicit stop requested") -> None:
        """Stop the current turn of a chat, and cancel its open approvals (on earlier releases, deny them)."""
        session = self._sessions.get(key)
        if session and session.origin and key in self._running:
            session.origin.stop.set()
            if session.behaviour.approval_outcomes_told:
                self._questions.answer(key, "cancelled", every=True, reason=why)
            else:
                self._questions.answer(key, "deny", every=True)

    def redirect(self, key: str, text: str) -> bool:
        """Interrupt the model request of a chat's turn with a correction; return False if none is running."""
        session, turn = self._sessions.get(key), self._running.get(key)
        if not (text and session and session.origin and turn and turn.is_requesting):
            return False
        session.origin.corrections.append(text)
        session.origin.stop.set()
        return True

    def next_generation(self, key: str) -> int:
        """Return the number of a new turn, and make the results of earlier turns stale."""
        self._generations[key] += 1
        return self._generations[key]

    def is_stale(self, key: str, generation: int) -> bool:
        """Return whether a turn was superseded, such as by a command that ended its session."""
        return self._generations[key] != generation

    def find_session(self, entry: SessionEntry) -> Session | None:
        """Return the agent of a session, or None."""
        known = self._sessions.get(entry.session_key)
        return known if known and known.id == entry.session_id else None

    def begin_session(self, platform: str, origin: Origin) -> Session:
        """Create the agent of a new session."""
        made = self._sessions[origin.session_key] = Session(self._runtime, platform, origin=origin)
        return made

    def remake_session(self, session: Session, notes: tuple[str, ...], about: Mapping[str, Any]) -> Session:
        """Return the agent of a session for its next turn; see `Session.remake`."""
        made = session.remake(notes, about)
        assert made.origin is not None
        self._sessions[made.origin.session_key] = made
        return made

    async def take_turn(
        self, session: Session, text: str, notes: str, approval: Asker, message_id: str | None, *, restores: bool
    ) -> Turn:
        """Run a turn in a worker thread.

        Args:
            session: The agent of the chat.
            text: The message of the user.
            notes: Texts for the model that are not part of the message.
            approval: Asks the user for approvals.
            message_id: The platform's ID of the message.
            restores: Whether calls and results are reloaded from the host's database; otherwise, they stay unchanged.
        """
        about = _identify(message_id) if session.behaviour.gateway_messages_identified else {}
        if _REFERENCE.search(text):
            raise self._runtime.state.unsupported("expand references in a message, such as @file:a.txt")
        if any(_is_interrupted(message) for message in session.history):
            raise self._runtime.state.unsupported("replace the result of an interrupted command in later turns")
        if session.behaviour.empty_messages_not_restored and _has_calls_after_blank(session.history):
            raise self._runtime.state.unsupported("merge tool calls after a blank message with the answer before it")
        if session.behaviour.longer_histories_kept and not all(map(_is_stored, session.history)):
            raise self._runtime.state.unsupported("go on in a chat with more messages than the host's database has")
        _require_short(session)
        _restore(session.history, session.behaviour, with_calls=restores)
        return await asyncio.wrap_future(self._workers.submit(self._take_turn, session, text, notes, approval, about))

    def _take_turn(self, session: Session, text: str, notes: str, approval: Asker, about: Mapping[str, Any]) -> Turn:
        assert session.origin is not None
        session.origin.stop.clear()
        session.origin.corrections.clear()
        first_new = len(session.history)
        if not first_new:
            self._runtime.state.session_variables.identify(session.id, in_process=False)
        if session.history and session.history[-1]["role"] == "tool":
            session.note = self._runtime.state.wording("note.pending_results")
        key = approval.session_key
        self._in_thread.add(key)
        token = asker.set(approval)
        try:
            turn = self._running[key] = begin_turn(session, text, session.id, notes, about)
            turn.run()
            return turn
        finally:
            asker.reset(token)
            self._in_thread.discard(key)
            for message in session.history[first_new:]:
                if message["role"] == "user":
                    message.setdefault("timestamp", time.time())

    async def finalise(self, **arguments: Any) -> None:
        """Fire ``on_session_finalize``."""
        fire = partial(self._runtime.hooks.fire, "on_session_finalize", **arguments)
        if self._runtime.behaviour.sessions_finalised_in_thread:
            workers = self._housekeepers if self._runtime.behaviour.gateway_housekeeping_aside else self._workers
            await asyncio.wrap_future(workers.submit(fire))
        else:
            fire()

    def forget(self, key: str) -> None:
        """Drop the agent of a chat; its next message creates a new one."""
        self._sessions.pop(key, None)

    async def close(self, key: str) -> None:
        """Close the agent of a chat, with its memory provider and its context engine."""
        if session := self._sessions.pop(key, None):
            await asyncio.wrap_future(self._workers.submit(session.close))

    async def close_all(self) -> None:
        """Close every agent, and the threads."""
        for key in list(self._sessions):
            await self.close(key)
        self._workers.close()
        self._housekeepers.close()


def _require_short(session: Session) -> None:
    """Reject a history that Hermes compresses before the next message.

    Raises:
        NotSupported: The history is too long.
    """
    _, tokens = (session.engine or session.compressor).occupancy
    if tokens <= 0:
        tokens = estimate_messages(session.history, session.behaviour)
    is_long = len(session.history) >= _FEW and tokens >= int(session.settings.context_length * _FULL)
    if is_long and session.settings.compresses:
        raise session.runtime.state.unsupported("compress the history of a chat before a message")


def _restore(history: list[dict[str, Any]], behaviour: Behaviour, *, with_calls: bool) -> None:
    """Reduce the history of a session to what the host loads from its database for the next turn.

    Messages are replaced one by one, since a copy of a long history would double the memory.
    """
    if behaviour.empty_messages_not_restored:
        history[:] = _drop_empty(history)
    if not behaviour.placeholders_restored:
        history[:] = [message for message in history if message.get("display_kind") != HIDDEN]
    history[:] = filter(_is_stored, history)
    for number, message in enumerate(history):
        if not with_calls and (message["role"] == "tool" or message.get("tool_calls")):
            continue
        history[number] = {**_restore_message(message, behaviour), **restore_marks(message, behaviour)}


def _is_stored(message: Mapping[str, Any]) -> bool:
    return message["role"] in _STORED and not message.get(HELPS_MODEL)


def _is_interrupted(message: Mapping[str, Any]) -> bool:
    """Return whether a release treats a message as the result of an interrupted command."""
    content = message["content"]
    text = content.lower() if message["role"] == "tool" and isinstance(content, str) else ""
    is_report = "exit_code" in text and "interrupt" in text and ("130" in text or "-1" in text)
    return is_report or "[command interrupted" in text or "[execution interrupted" in text


def _identify(message_id: str | None) -> dict[str, Any]:
    """Return the fields that identify the origin of a user's message."""
    identified: dict[str, Any] = {"display_metadata": {"gateway_input_owner": str(uuid.uuid4())}}
    return {**identified, "platform_message_id": message_id} if message_id else identified


def _drop_empty(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop blank messages of the user, and merge the answers around them."""
    kept: list[dict[str, Any]] = []
    for message in history:
        if _is_blank(message):
            continue
        is_answer = message["role"] == "assistant" and not message.get("tool_calls")
        if is_answer and kept and kept[-1]["role"] == "assistant" and not kept[-1].get("tool_calls"):
            kept[-1] = {**kept[-1], "content": f"{kept[-1]['content']}\n{message['content']}"}
        else:
            kept.append(message)
    return kept


def _is_blank(message: Mapping[str, Any]) -> bool:
    """Return whether a message is a blank message of the user."""
    content = message["content"]
    return message["role"] == "user" and not (content.strip() if isinstance(content, str) else content)


def _has_calls_after_blank(history: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the answer to a blank message of the user has tool calls."""
    return any(_is_blank(one) and bool(after.get("tool_calls")) for one, after in pairwise(history))


def _restore_message(message: dict[str, Any], behaviour: Behaviour) -> dict[str, Any]:
    role = message["role"]
    content = message["content"]
    restored = {"role": role, "content": content.strip() if role == "user" and isinstance(content, str) else content}
    restored |= {name: message[name] for name in _STORED[role] if message.get(name)}
    if role == "tool":
        # The message about an unknown tool has only a `name`.
        name = message.get("tool_name") or (behaviour.all_tool_names_stored and message.get("name"))
        restored |= {"tool_name": name} if name else {}
    return restored
