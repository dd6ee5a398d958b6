"""The history of a session during a turn: its messages, and the requests that are built from them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.message_rows import MessageRows, absorb, supersede
from hermes_sdk.hosts.embedded.agent.response import NAMELESS, NormalizedResponse, make_history_message
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.surrogates import replace_surrogates
from hermes_sdk.hosts.embedded.agent.tool_call_repair import make_safe_name

Message = dict[str, Any]

HELPS_MODEL = "_empty_recovery_synthetic"
"""Marks messages that make a model continue after an empty response."""
ASKS_TO_VERIFY = "_pre_verify_synthetic"
"""Marks messages with which ``pre_verify`` makes a turn continue."""
HIDDEN = "hidden"
"""Kind of a message that only keeps the order of roles."""
FRAGMENT = "_length_continuation_fragment"
"""Marks parts of a truncated response until the turn ends."""
ASKS_TO_CONTINUE = "_length_continuation_nudge"
"""Marks messages that ask for the next part."""
VERIFYING = "verify_hook_continue"
"""Finish reason of a response after which a plugin requests verification."""

_KEYS = {
    "user": ("role", "content"),
    "assistant": ("role", "content"),
    "tool": ("role", "name", "content", "tool_call_id"),
}


class TurnHistory:
    """The messages of a session during one turn.

    Args:
        text: The user's message.
        about: Additional keys of the user's message.

    Attributes:
        messages: The history of the session, which the turn changes.
        user: The message that the turn answers.
    """

    def __init__(self, session: Session, text: str, about: Mapping[str, Any]) -> None:
        self.messages = session.history
        self._original_text = text
        self._note = session.take_note()
        text = f"{self._note}\n\n{text}" if self._note else text
        self.user: Message = {"role": "user", "content": text, **about}
        self._session = session
        self._behaviour = session.behaviour
        self._text = self._sent_text = text
        self._rows = MessageRows(session.runtime.state)
        self._unstored: list[Message] = []
        # Messages that a gateway read from its database are not marked until the next message is stored.
        self._restored: list[Message] = [*session.history] if session.origin else []

    def make_answer(self, answer: NormalizedResponse, finish_reason: str) -> Message:
        """Build the history message of a response, with secrets in its text masked."""
        message = make_history_message(answer, finish_reason, self._behaviour)
        message["content"] = self._session.runtime.registrations.redaction_patterns.mask(message["content"])
        return message

    def append(self, message: Message) -> None:
        """Append a message without storing it."""
        if self._behaviour.messages_timestamped:
            message.setdefault("timestamp", time.time())
        self.messages.append(message)

    def add(self, message: Message) -> None:
        """Add a message, and store it."""
        self.append(message)
        self.store(message)

    def add_unstored(self, message: Message) -> None:
        """Add a message that the host stores together with the next message."""
        self.append(message)
        self._unstored.append(message)

    def close_calls(self, text: str) -> None:
        """Add a response of the host if the history ends with tool results."""
        if self.messages[-1]["role"] == "tool":
            self.add({"role": "assistant", "content": text})

    def drop_last(self, count: int) -> None:
        """Drop the last messages, which were added unstored."""
        del self.messages[-count:], self._unstored[-count:]

    def store(self, *messages: Message) -> None:
        """Mark messages as stored, including those that were added unstored."""
        for one in (*self._restored, *self._unstored, *messages):
            one["_db_persisted"] = True
        for one in (*self._unstored, *messages):
            self._rows.write(one, self.messages)
        self._restored.clear()
        self._unstored.clear()

    def change(self, message: Message, content: str) -> None:
        """Change the content of a stored message."""
        message["content"] = content
        self._rows.update(message)

    def find_user(self) -> None:
        """Set `user` again after a compression, which may have replaced the message with a copy."""
        if not any(one is self.user for one in self.messages):
            candidates = (one for one in reversed(self.messages) if one["role"] == "user")
            self.user = next((one for one in candidates if one["content"] == self.user["content"]), self.user)

    def add_context(self, pieces: Sequence[str]) -> None:
        """Add context for the model to the user's message."""
        self._sent_text = "\n\n".join([self._text, *pieces])
        if pieces or (self._note and self._behaviour.notes_replayed_at_once):
            self.user["api_content"] = self._sent_text

    def forget_note(self, *, ended: bool = True) -> None:
        """Remove the note from the user's message; after the turn has ended, requests still include it."""
        if not self._note or self.user["content"] not in (self._text, self._original_text):
            return
        self.user["content"] = self._original_text
        if ended:
            self.user["api_content"] = self._sent_text

    def drop_recovery(self, *marks: str) -> bool:
        """Drop trailing messages that made the model continue or have one of the marks; return whether any did."""
        count = len(self.messages)
        while self.messages and any(self.messages[-1].get(mark) for mark in (HELPS_MODEL, *marks)):
            self.messages.pop()
        return len(self.messages) < count

    def _drop_calls(self) -> None:
        """Drop the trailing tool calls and their results."""
        while self.messages and self.messages[-1]["role"] == "tool":
            self.messages.pop()
        if self.messages and self.messages[-1].get("tool_calls"):
            self.messages.pop()

    def forget_recovery(self) -> None:
        """Drop trailing messages that made the model continue, and the calls whose results the model ignored.

        Verification requests are dropped everywhere.
        """
        if self.drop_recovery() and not self._behaviour.empty_replies_explained_last:
            self._drop_calls()
        self.messages[:] = [one for one in self.messages if not one.get(ASKS_TO_VERIFY)]

    def forget_parts(self) -> None:
        """Unmark the parts of a truncated response."""
        for one in self.messages:
            one.pop(FRAGMENT, None)
            one.pop(ASKS_TO_CONTINUE, None)

    def make_request(self, *, compact: bool = True) -> list[Message]:
        """Build the messages of a request; `compact` strips their text and minimises JSON arguments."""
        messages = self.messages
        # The host loses the context if it merged the message with an earlier message.
        if self._sent_text != self._text == self.user["content"]:
            user = {**self.user, "api_content": self._sent_text}
            messages = [user if one is self.user else one for one in messages]
        answers = [one for one in messages if not one.get("_thinking_prefill")]
        if len(answers) < len(messages) and self._behaviour.thoughts_left_out:
            messages = answers
        system = {"role": "system", "content": self._session.system}
        placeholder = self._session.runtime.state.wording("turn.cut_short")
        stripped = [_strip_message(one, self._behaviour, compact, placeholder) for one in messages]
        if self._behaviour.empty_messages_filled:
            for message, sent in zip(messages[:-1], stripped, strict=False):
                if _is_empty(message, sent):
                    sent["content"] = placeholder
        if not self._behaviour.repeated_call_ids_renamed:
            stripped = [*_drop_repeated_calls(stripped)]
        request: list[Message] = replace_surrogates([system, *stripped])
        return request

    def merge_neighbours(self) -> None:
        """Merge adjacent messages with the same role, which providers reject.

        User messages, which are adjacent after a failed turn, are joined. Of responses, which are adjacent after
        ``pre_verify``, only the last one is kept.
        """
        history = self.messages
        for index in range(len(history) - 1, 0, -1):
            before, message = history[index - 1], history[index]
            if before["role"] != message["role"]:
                continue
            if message["role"] == "user" and isinstance(before["content"], str):
                if self._behaviour.merged_messages_kept_apart:
                    absorb(before, message)
                    self.user = before if message is self.user else self.user
                    del history[index]
                    continue
                message["content"] = f"{before['content']}\n\n{message['content']}"
                message.pop("api_content", None)
                message.pop("_row_id", None)
                message |= {key: before[key] for key in ("timestamp", "_row_id") if key in before}
                del history[index - 1]
            elif before.get("finish_reason") == VERIFYING:
                if self._behaviour.merged_messages_kept_apart:
                    supersede(message, before)
                del history[index - 1]


def _strip_message(message: Message, behaviour: Behaviour, compact: bool, placeholder: str) -> Message:
    """Copy a message without the host's own keys; `placeholder` is the content of hidden messages."""
    keys = _KEYS[message["role"]]
    if not behaviour.requests_limit_tokens:
        keys = tuple(key for key in keys if key != "name")
    stripped = {key: message[key] for key in keys if key in message}
    if behaviour.reasoning_sent_to_local_models and (reasoning := message.get("reasoning")):
        stripped |= {"reasoning": reasoning, "reasoning_content": reasoning}
    if "api_content" in message:
        stripped["content"] = message["api_content"]
    if compact and isinstance(stripped["content"], str):
        stripped["content"] = stripped["content"].strip()
    if behaviour.parts_sent_plain and isinstance(stripped["content"], list):
        stripped["content"] = _simplify_parts(stripped["content"])
    if message.get("display_kind") == HIDDEN:
        stripped["content"] = placeholder
    if calls := message.get("tool_calls"):
        stripped["tool_calls"] = [_strip_call(call, behaviour, compact) for call in calls]
    return stripped


def _simplify_parts(parts: list[Any]) -> Any:
    """Remove cache marks from message parts, and return a single text part as a string."""
    plain = [
        {key: one[key] for key in one if key != "cache_control"} if isinstance(one, dict) else one for one in parts
    ]
    part = plain[0] if len(plain) == 1 and isinstance(plain[0], dict) else {}
    is_text = part.keys() <= {"type", "text"} and part.get("type", "text") == "text"
    return part["text"] if is_text and isinstance(part.get("text"), str) else plain


def _drop_repeated_calls(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages without calls that repeat an earlier id, and without their results."""
    called: set[str] = set()
    answered: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] in answered:
                continue
            answered.add(message["tool_call_id"])
        if calls := message.get("tool_calls"):
            message["tool_calls"] = [call for call in calls if call["id"] not in called]
            called |= {call["id"] for call in calls}
        yield message


def _is_empty(message: Message, sent: Message) -> bool:
    """Return whether a message would be sent without content."""
    has_more = any(message.get(key) for key in ("reasoning", "reasoning_content", "reasoning_details", "tool_calls"))
    content = sent["content"]
    is_blank = not content or (isinstance(content, str) and not content.strip())
    return message["role"] in ("assistant", "user") and is_blank and not has_more


def _strip_call(call: Message, behaviour: Behaviour, compact: bool) -> Message:
    function = call["function"]
    arguments = function["arguments"]
    if compact:
        arguments = json.dumps(json.loads(arguments), separators=(",", ":"), sort_keys=True)
    name = function["name"]
    if behaviour.nameless_calls_sent_named:
        name = name if name.strip() else NAMELESS
    if behaviour.called_names_made_safe:
        name = make_safe_name(name) or NAMELESS
    return {"id": call["id"], "type": "function", "function": {"name": name, "arguments": arguments}}
