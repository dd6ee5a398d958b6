"""The history of a session as the host has it again at the next turn: what its database keeps of each message."""

from __future__ import annotations

import time
from typing import Any

from hermes_sdk.contract import Behaviour

_ALWAYS = ("role", "content")
_KEPT = {
    "user": ("api_content", "timestamp"),
    "assistant": ("api_content", "finish_reason", "reasoning", "reasoning_content", "reasoning_details", "tool_calls"),
    "tool": ("tool_call_id", "tool_calls"),
}


def stamp(message: dict[str, Any], behaviour: Behaviour) -> None:
    """Note when the user said something, where the release does."""
    if behaviour.gateway_messages_stamped:
        message.setdefault("timestamp", time.time())


def replayed(history: list[dict[str, Any]], behaviour: Behaviour) -> list[dict[str, Any]]:
    """The messages of the turns before.

    Args:
        history: The messages as the last turn left them.
        behaviour: What the release does.
    """
    marks = behaviour.messages_marked_stored and behaviour.user_message_stored_first
    marked = {"_db_persisted": True} if marks else {}
    return [{**_kept(message), **marked} for message in history if message["role"] in _KEPT]


def _kept(message: dict[str, Any]) -> dict[str, Any]:
    role = message["role"]
    kept = {name: message[name] for name in _KEPT[role] if message.get(name)}
    if role == "tool":
        kept["tool_name"] = message.get("tool_name") or message.get("name")
    return {**{name: message[name] for name in _ALWAYS}, **kept}
