"""The history of a session while a turn extends it: which messages are stored, and how they go to the model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.session import Session

Message = dict[str, Any]

HELPS_MODEL = "_empty_recovery_synthetic"
"""Marks messages that help a model along after an empty answer."""
ASKS_TO_VERIFY = "_pre_verify_synthetic"
"""Marks messages with which ``pre_verify`` keeps a turn going."""
VERIFYING = "verify_hook_continue"
"""Finish reason of an answer after which a plugin wants something checked first."""

_KEYS = {
    "user": ("role", "content"),
    "assistant": ("role", "content"),
    "tool": ("role", "name", "content", "tool_call_id"),
}
_CHARACTERS_PER_TOKEN = 4


class TurnHistory:
    """The messages of a session, as one turn sees and extends them.

    Args:
        session: The session; its history is changed in place.
        text: What the user said.

    Attributes:
        messages: The history of the session.
        user: The message that the turn answers.
    """

    def __init__(self, session: Session, text: str) -> None:
        self.messages = session.history
        self.user: Message = {"role": "user", "content": text}
        self._session = session
        self._behaviour = session.behaviour
        self._text = self._sent_text = text
        # Messages that a gateway read from its database are not marked until something is stored again.
        self._unstored: list[Message] = [*session.history] if session.origin else []

    def add(self, message: Message) -> None:
        """Add a message, and store it."""
        self.messages.append(message)
        self.store(message)

    def add_unstored(self, message: Message) -> None:
        """Add a message that the host's database gets together with the next one."""
        self.messages.append(message)
        self._unstored.append(message)

    def store(self, *messages: Message) -> None:
        """Mark messages as the host does once its database has them, those that waited first."""
        if self._behaviour.messages_marked_stored:
            for one in (*self._unstored, *messages):
                one["_db_persisted"] = True
        self._unstored.clear()

    def add_context(self, pieces: Sequence[str]) -> None:
        """Add context that only the model reads to the user's message."""
        self._sent_text = "\n\n".join([self._text, *pieces])
        if pieces and self._behaviour.injected_context_replayed:
            self.user["api_content"] = self._sent_text

    def forget_help(self) -> None:
        """Drop the messages that only helped the model along."""
        marks = (HELPS_MODEL, ASKS_TO_VERIFY) if self._behaviour.verify_nudges_dropped else (HELPS_MODEL,)
        self.messages[:] = [one for one in self.messages if not any(one.get(mark) for mark in marks)]

    def make_request(self, *, compact: bool = True) -> list[Message]:
        """Make the messages of a request.

        Args:
            compact: Whether the arguments of tool calls are written anew, in the shortest form.
        """
        messages = self.messages
        # The context is lost when the message was merged with one before it.
        if self._sent_text != self._text == self.user["content"]:
            own = {**self.user, "api_content": self._sent_text}
            messages = [own if one is self.user else one for one in messages]
        if not self._behaviour.reasoning_not_sent_back:
            messages = [one for one in messages if not one.get("_thinking_prefill")]
        system = {"role": "system", "content": self._session.system}
        return [system, *(_strip_message(one, self._behaviour, compact) for one in messages)]

    def merge_neighbours(self) -> None:
        """Bring the messages into the order that providers expect.

        Messages of the user that follow each other, as after a turn that failed, become one. Of answers that follow
        each other because ``pre_verify`` had the model go on, the last one stays.
        """
        history = self.messages
        for index in range(len(history) - 1, 0, -1):
            before, message = history[index - 1], history[index]
            if before["role"] != message["role"]:
                continue
            if message["role"] == "user" and isinstance(before["content"], str):
                message["content"] = f"{before['content']}\n\n{message['content']}"
                message.pop("api_content", None)
                if "timestamp" in before:
                    message["timestamp"] = before["timestamp"]
                del history[index - 1]
            elif before.get("finish_reason") == VERIFYING:
                del history[index - 1]


def _strip_message(message: Message, behaviour: Behaviour, compact: bool) -> Message:
    """Copy a message without the keys that only the host reads."""
    keys = _KEYS[message["role"]]
    if not behaviour.reasoning_not_sent_back:
        keys = (*keys, "reasoning_content")
    if not behaviour.recovery_mark_not_sent:
        keys = (*keys, HELPS_MODEL)
    stripped = {key: message[key] for key in keys if key in message}
    if "api_content" in message:
        stripped["content"] = message["api_content"]
    if isinstance(stripped["content"], str):
        stripped["content"] = stripped["content"].strip()
    if calls := message.get("tool_calls"):
        stripped["tool_calls"] = [_strip_call(call, compact) for call in calls]
    return stripped


def _strip_call(call: Message, compact: bool) -> Message:
    function = call["function"]
    arguments = function["arguments"]
    if compact:
        arguments = json.dumps(json.loads(arguments), separators=(",", ":"), sort_keys=True)
    return {"id": call["id"], "type": "function", "function": {"name": function["name"], "arguments": arguments}}


def estimate_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of messages by their length, as the host does before a request."""
    return -(-sum(len(str(message)) for message in messages) // _CHARACTERS_PER_TOKEN)
