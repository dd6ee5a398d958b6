"""Database rows of messages, and the keys that a message gets with its row (N77)."""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.state import HostState

Message = dict[str, Any]

_COUNTER = "message rows"

_CONTENT_KEYS = ("content", "tool_call_id", "tool_calls", "_tool_call_uids", "name", "finish_reason", "reasoning")

_PERMANENT_KEYS = ("message_uid", "_tool_call_uids", "_tool_call_uid")


class MessageRows:
    """Assigns database rows to messages; all sessions of a host share the database."""

    def __init__(self, state: HostState) -> None:
        self._behaviour = state.behaviour
        self._numbers: Iterator[int] = state.memory.setdefault(_COUNTER, itertools.count(1))

    def skip(self) -> None:
        """Use up a row that does not hold a message."""
        next(self._numbers)

    def write(self, message: Message, history: Sequence[Message]) -> None:
        """Assign a row to a message of a history, unless it has one."""
        if "_row_id" in message:
            return
        if not self._behaviour.messages_know_their_rows:
            self.skip()
            return
        if not self._behaviour.messages_identified:
            message["_row_id"] = next(self._numbers)
            return
        if message["role"] == "tool" and (uid := _find_call_uid(message, history)):
            message["_tool_call_uid"] = uid
        message["_row_id"] = next(self._numbers)
        message.setdefault("message_uid", _make_uid())
        if calls := message.get("tool_calls"):
            message["_tool_call_uids"] = {call["id"]: _make_uid() for call in calls}
        message["_db_row_snapshot"] = _digest(message)

    def update(self, message: Message) -> None:
        """Update the row of a message whose content changed."""
        if "_db_row_snapshot" in message:
            message["_db_row_snapshot"] = _digest(message)

    def rewrite(self, history: list[Message]) -> None:
        """Replace the messages of a compressed history with copies in new rows."""
        if self._behaviour.compressed_aside:
            history[:] = [{**message, "_row_id": next(self._numbers)} for message in history]


def absorb(message: Message, later: Message) -> None:
    """Merge a later user message into `message`, which keeps its row and lists the absorbed rows."""
    marks = ("_db_persisted", "_merged_durable_rows")
    if any(mark in message for mark in marks) and "_db_persisted" in later:
        message["_merged_durable_rows"] = message.get("_merged_durable_rows", 1) + 1
    message["_merged_turn_prefix"] = message["content"]
    message["content"] = f"{message['content']}\n\n{later['content']}"
    message.pop("api_content", None)
    _add_absorbed(message, later, "_row_id", "_absorbed_row_ids")
    _add_absorbed(message, later, "message_uid", "_absorbed_message_uids")


def supersede(message: Message, earlier: Message) -> None:
    """Add the rows of an earlier message to those that `message` replaces."""
    _add_absorbed(message, earlier, "_row_id", "_absorbed_row_ids")


def _add_absorbed(message: Message, other: Message, own: str, others: str) -> None:
    absorbed = [*([other[own]] if own in other else []), *other.get(others, ())]
    if absorbed:
        message[others] = [*message.get(others, ()), *absorbed]


def restore_marks(message: Mapping[str, Any], behaviour: Behaviour) -> Message:
    """Return the row keys of a chat message that is read from the database for the next turn."""
    of_tool = message["role"] == "tool" or bool(message.get("tool_calls"))
    marks: Message = {}
    if behaviour.messages_identified or (of_tool and behaviour.restored_tool_messages_marked):
        marks["_db_persisted"] = True
    if of_tool and "_db_row_snapshot" in message:
        marks["_db_row_snapshot"] = message["_db_row_snapshot"]
    return marks | {key: message[key] for key in _PERMANENT_KEYS if key in message}


def _find_call_uid(result: Message, history: Sequence[Message]) -> str | None:
    """Return the UID of the call that a result belongs to."""
    calls: dict[str, str] = {}
    for message in history:
        calls |= message.get("_tool_call_uids", {})
    return calls.get(result["tool_call_id"])


def _digest(message: Message) -> str:
    """Return a digest of the content of a message."""
    content = [(key, message[key]) for key in _CONTENT_KEYS if key in message]
    return hashlib.blake2b(json.dumps(content, default=str).encode(), digest_size=16).hexdigest()


def _make_uid() -> str:
    return uuid.uuid4().hex
