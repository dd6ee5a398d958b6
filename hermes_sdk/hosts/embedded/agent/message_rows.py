"""The rows of the session's database: what a message carries once it has one (N77)."""

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

_NUMBERS = "message rows"

_SAID = ("content", "tool_call_id", "tool_calls", "_tool_call_uids", "name", "finish_reason", "reasoning")

_PERMANENT = ("message_uid", "_tool_call_uids", "_tool_call_uid")


class MessageRows:
    """Writes messages to the database of a host, which all of its sessions share."""

    def __init__(self, state: HostState) -> None:
        self._behaviour = state.behaviour
        self._numbers: Iterator[int] = state.memory.setdefault(_NUMBERS, itertools.count(1))

    def skip(self) -> None:
        """Use up a row for something else than a message."""
        next(self._numbers)

    def write(self, message: Message, history: Sequence[Message]) -> None:
        """Write a message of a history to a row of its own, unless it has one."""
        if "_row_id" in message:
            return
        if not self._behaviour.messages_know_their_rows:
            self.skip()
            return
        if not self._behaviour.messages_identified:
            message["_row_id"] = next(self._numbers)
            return
        if message["role"] == "tool" and (uid := _find_call(message, history)):
            message["_tool_call_uid"] = uid
        message["_row_id"] = next(self._numbers)
        message.setdefault("message_uid", _mint())
        if calls := message.get("tool_calls"):
            message["_tool_call_uids"] = {call["id"]: _mint() for call in calls}
        message["_db_row_snapshot"] = _digest(message)

    def update(self, message: Message) -> None:
        """Update the row of a message that says something else now."""
        if "_db_row_snapshot" in message:
            message["_db_row_snapshot"] = _digest(message)

    def rewrite(self, history: list[Message]) -> None:
        """Write what a compression left of a history to new rows, as copies of its messages."""
        if self._behaviour.compressed_aside:
            history[:] = [{**message, "_row_id": next(self._numbers)} for message in history]


def absorb(message: Message, later: Message) -> None:
    """Merge a later message of the user into one, which keeps its row and tells which other rows it stands for."""
    marks = ("_db_persisted", "_merged_durable_rows")
    if any(mark in message for mark in marks) and "_db_persisted" in later:
        message["_merged_durable_rows"] = message.get("_merged_durable_rows", 1) + 1
    message["_merged_turn_prefix"] = message["content"]
    message["content"] = f"{message['content']}\n\n{later['content']}"
    message.pop("api_content", None)
    _retire(message, later, "_row_id", "_absorbed_row_ids")
    _retire(message, later, "message_uid", "_absorbed_message_uids")


def supersede(message: Message, earlier: Message) -> None:
    """Let a message tell which row it stands for in the place of an earlier one."""
    _retire(message, earlier, "_row_id", "_absorbed_row_ids")


def _retire(message: Message, other: Message, own: str, others: str) -> None:
    absorbed = [*([other[own]] if own in other else []), *other.get(others, ())]
    if absorbed:
        message[others] = [*message.get(others, ()), *absorbed]


def restore_marks(message: Mapping[str, Any], behaviour: Behaviour) -> Message:
    """Return what a message of a chat carries of its row when it is read for the next turn."""
    of_tool = message["role"] == "tool" or bool(message.get("tool_calls"))
    marks: Message = {}
    if behaviour.messages_identified or (of_tool and behaviour.restored_tool_messages_marked):
        marks["_db_persisted"] = True
    if of_tool and "_db_row_snapshot" in message:
        marks["_db_row_snapshot"] = message["_db_row_snapshot"]
    return marks | {key: message[key] for key in _PERMANENT if key in message}


def _find_call(result: Message, history: Sequence[Message]) -> str | None:
    """Return the uid of the call that a result answers."""
    calls: dict[str, str] = {}
    for message in history:
        calls |= message.get("_tool_call_uids", {})
    return calls.get(result["tool_call_id"])


def _digest(message: Message) -> str:
    """Return a digest of what a message says, which is the same for messages that say the same."""
    said = [(key, message[key]) for key in _SAID if key in message]
    return hashlib.blake2b(json.dumps(said, default=str).encode(), digest_size=16).hexdigest()


def _mint() -> str:
    return uuid.uuid4().hex
