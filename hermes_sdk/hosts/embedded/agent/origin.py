"""Where the sessions of a gateway come from, and what their turns tell there."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OnStep = Callable[[int, list[dict[str, Any]]], None]
"""Called before each request of a turn, with its number and the tool calls of the last answer that had some."""


def _nobody(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Origin:
    """A chat on a platform.

    Attributes:
        session_id: The id of the session.
        session_key: What stays the same when a new session begins in the chat.
        about: What is known of the user and the chat, by the host's names.
        notes: What the system prompt says of them.
        on_step: See `OnStep`; None when nobody wants to know.
        tell: Called with what the host itself has to say while a turn runs.
        pass_on: Called with what the model says beside the tools that it calls.
        stop: Set to stop the turn that runs.
    """

    session_id: str
    session_key: str
    about: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    on_step: OnStep | None = None
    tell: Callable[[str], None] = _nobody
    pass_on: Callable[[str], None] = _nobody
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def sender_id(self) -> str:
        """The platform's id of the user."""
        return str(self.about.get("user_id") or "")

    def step(self, number: int, messages: Sequence[Mapping[str, Any]]) -> None:
        """Tell of a request.

        Args:
            number: Which one of its turn it is, from 1.
            messages: The history of the session.
        """
        if self.on_step:
            self.on_step(number, _last_calls(messages))


def _last_calls(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The tool calls of the last answer that had some, with their results."""
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
