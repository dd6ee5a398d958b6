"""Where the sessions of a gateway come from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

OnStep = Callable[[int, list[dict[str, Any]]], None]
"""Called before each request of a turn, with its number and the tool calls of the last answer that had some."""


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
        stop: Set to stop the turn that runs.
    """

    session_id: str
    session_key: str
    about: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    on_step: OnStep | None = None
    tell: Callable[[str], None] | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def sender_id(self) -> str:
        """The platform's id of the user."""
        return str(self.about.get("user_id") or "")
