"""The chat of a gateway's session, and what its turns report there."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OnStep = Callable[[int, list[dict[str, Any]]], None]
"""Called before each request of a turn, with its number and the tool calls of the last answer that had some."""


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
    """Called with messages of the host itself while a turn runs."""
    pass_on: Callable[[str], None] = lambda _: None
    """Called with the text of an answer that calls tools."""
    passes_on: bool = False
    """Whether the chat gets such texts."""
    reports_compressions: bool = False
    """Whether an event hook is called after each compression."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set to stop the current turn."""
    corrections: list[str] = field(default_factory=list)
    """What the user wrote to redirect the current turn, which is stopped for it."""

    @property
    def sender_id(self) -> str:
        """The platform's id of the user."""
        return str(self.about.get("user_id") or "")

    def take_correction(self) -> str:
        """Return what redirects the stopped turn, which may then go on; empty if nothing does."""
        text = "\n\n[Additional user correction]\n".join(self.corrections)
        if text:
            self.corrections.clear()
            self.stop.clear()
        return text

    def report_step(self, number: int, messages: Sequence[Mapping[str, Any]]) -> None:
        """Report the request with a number, from 1, in its turn; `messages` is the history of the session."""
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


class StatusChannel:
    """Tells the user of a session's chat what happens; outside of a gateway nobody reads it."""

    def __init__(self, origin: Origin | None) -> None:
        self._origin = origin
        self._held: list[str] = []

    def tell(self, text: str) -> None:
        """Tell the user something now."""
        if self._origin:
            self._origin.tell(text)

    def hold(self, text: str) -> None:
        """Hold a text about another attempt, which the user gets only if the turn fails."""
        self._held.append(text)

    def release(self) -> None:
        """Tell what was held, since the turn fails."""
        held, self._held = self._held, []
        for text in held:
            self.tell(text)

    def drop(self) -> None:
        """Forget what was held, since the model answered."""
        self._held.clear()
