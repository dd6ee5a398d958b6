"""The chat of a gateway session, and status messages to it."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OnStep = Callable[[int, list[dict[str, Any]]], None]
"""Called before each request of a turn with its number and the latest tool calls of the session."""


@dataclass(eq=False)
class Origin:
    """A chat on a platform; its `session_key` stays the same when a new session begins."""

    session_id: str
    session_key: str
    about: Mapping[str, Any]
    """Facts about the user of the current turn and the chat, under the host's names."""
    notes: tuple[str, ...] = ()
    """Text for the system prompt."""
    on_step: OnStep | None = None
    tell: Callable[[str], None] = lambda _: None
    """Called with status messages of the host during a turn."""
    pass_on: Callable[[str], None] = lambda _: None
    """Called with the interim text of a response that calls tools."""
    passes_on: bool = False
    """Whether the chat receives interim texts."""
    reports_compressions: bool = False
    """Whether an event hook is called after each compression."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set to stop the current turn."""
    corrections: list[str] = field(default_factory=list)
    """Messages from the user that redirect the current turn, which is stopped first."""

    @property
    def sender_id(self) -> str:
        """The platform's id of the user."""
        return str(self.about.get("user_id") or "")

    def take_correction(self) -> str:
        """Return and clear the corrections of the stopped turn, so that it can continue; empty if there are none."""
        text = "\n\n[Additional user correction]\n".join(self.corrections)
        if text:
            self.corrections.clear()
            self.stop.clear()
        return text

    def report_step(self, number: int, messages: Sequence[Mapping[str, Any]]) -> None:
        """Report a request; `number` counts from 1 in its turn, and `messages` is the history of the session."""
        if self.on_step:
            self.on_step(number, _list_last_calls(messages))


def _list_last_calls(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest tool calls in a history, with their results."""
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


class StatusChannel:
    """Sends status messages to the chat of a session; without a chat they are discarded."""

    def __init__(self, origin: Origin | None) -> None:
        self._origin = origin
        self._queued: list[str] = []

    def tell(self, text: str) -> None:
        """Send a message immediately."""
        if self._origin:
            self._origin.tell(text)

    def hold(self, text: str) -> None:
        """Queue a message about a retry, which is sent only if the turn fails."""
        self._queued.append(text)

    def release(self) -> None:
        """Send the queued messages, because the turn fails."""
        queued, self._queued = self._queued, []
        for text in queued:
            self.tell(text)

    def drop(self) -> None:
        """Discard the queued messages, because the model answered."""
        self._queued.clear()
