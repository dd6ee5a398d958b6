"""The rows of the session's database: what a message carries once it has one (N77)."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

Message = dict[str, Any]

_NUMBERS = "message rows"

PERMANENT = ("message_uid", "_tool_call_uids", "_tool_call_uid")
"""The keys that a message keeps when it is read from the database."""


class MessageRows:
    """Writes messages to the database of a host, which all of its sessions share."""

    def __init__(self, state: HostState) -> None:
        self._behaviour = state.behaviour
        self._numbers: Iterator[int] = state.memory.setdefault(_NUMBERS, itertools.count(1))

    def write(self, message: Message, history: Sequence[Message]) -> None:
        """Write a message of a history to a row of its own, unless it has one."""
        if not self._behaviour.messages_know_their_rows or "_row_id" in message:
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
        message["_db_row_snapshot"] = _mint()


def _find_call(result: Message, history: Sequence[Message]) -> str | None:
    """Return the uid of the call that a result answers."""
    for message in reversed(history):
        if uid := message.get("_tool_call_uids", {}).get(result["tool_call_id"]):
            return uid
    return None


def _mint() -> str:
    return uuid.uuid4().hex
