"""Bodies of requests, stored with shared messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_MESSAGES = "messages"


class Bodies:
    """Stores the bodies of requests as JSON texts.

    Each request repeats the messages of the previous one. Requests share their common initial messages, so that the
    memory of a conversation is linear in its length instead of quadratic.
    """

    def __init__(self) -> None:
        self._start = StoredMessage(None, "")
        self._frames: dict[str, str] = {}

    def add(self, body: Mapping[str, Any]) -> tuple[str, StoredMessage | None]:
        """Store a body; return everything but its messages, and the last message or None without a list of messages.

        Raises:
            TypeError: The body contains a value that JSON cannot represent.
        """
        messages, last = body.get(_MESSAGES), None
        if isinstance(messages, list | tuple):
            last = self._start
            for message in messages:
                last = last.followed_by(_encode(message))
            body = {**body, _MESSAGES: None}
        frame = _encode(body)
        return self._frames.setdefault(frame, frame), last


class StoredMessage:
    """A message that conversations with the same beginning share, or the start of all conversations.

    Nearly every message has a single successor, for which a mapping would take four times the memory.
    """

    __slots__ = ("_before", "_following", "_text")

    def __init__(self, before: StoredMessage | None, text: str) -> None:
        self._before = before
        self._text = text
        self._following: StoredMessage | dict[str, StoredMessage] | None = None

    def followed_by(self, text: str) -> StoredMessage:
        """Return the message with a text that follows this message."""
        following = self._following
        if following is None:
            following = self._following = StoredMessage(self, text)
        elif isinstance(following, dict):
            if text not in following:
                following[text] = StoredMessage(self, text)
            return following[text]
        elif following._text != text:
            self._following = {following._text: following}
            return self.followed_by(text)
        return following

    def read_backwards(self) -> Iterator[dict[str, Any]]:
        """Yield the messages of the conversation from this message back to the first."""
        message = self
        while message._before is not None:
            yield json.loads(message._text)
            message = message._before


_encode = json.JSONEncoder().encode
