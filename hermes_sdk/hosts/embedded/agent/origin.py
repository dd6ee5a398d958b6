"""The chat that a session of a gateway serves, and what its turns report there."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OnStep = Callable[[int, list[dict[str, Any]]], None]
"""Called before each request of a turn, with its number and the tool calls of the last answer that had some."""


def _ignore(_: str) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Origin:
    """A chat on a platform.

    Attributes:
        session_id: The id of the session.
        session_key: What stays the same when a new session begins in the chat.
        about: What is known of the user and the chat, by the host's names.
        notes: What the system prompt says of them.
        on_step: See `OnStep`; None when nothing listens.
        tell: Called with messages of the host itself while a turn runs.
        pass_on: Called with the text of an answer that calls tools.
        stop: Set to stop the turn that runs.
    """

    session_id: str
    session_key: str
    about: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    on_step: OnStep | None = None
    tell: Callable[[str], None] = _ignore
    pass_on: Callable[[str], None] = _ignore
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def sender_id(self) -> str:
        """The platform's id of the user."""
        return str(self.about.get("user_id") or "")

    def report_step(self, number: int, messages: Sequence[Mapping[str, Any]]) -> None:
        """Report a request: which one of its turn it is, from 1, and the history of the session."""
        if self.on_step:
            self.on_step(number, _list_last_calls(messages))


def _list_last_calls(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """List the tool calls of the last answer that had some, with their results."""
    for index in range(len(messages) - 1, -1, -1):
        if calls := messages[index].get("tool_calls"):
            answers = itertools.takewhile(lambda one: one["role"] == "tool", messages[index + 1 :])
            results = {one.get("tool_call_id"): one.get("content", "") for one in answers}
            return [
                {
                    "name": one["function"]["name"],
                    "result": results.get(one["id"]),
                    "arguments": one["function"]["arguments"],
                }
                for one in calls
            ]
    return []
