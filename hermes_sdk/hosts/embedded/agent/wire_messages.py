"""The messages of a session as they go to the model: without the host's own keys, and always the same for the same."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hermes_sdk.contract import Behaviour

_KEYS = {
    "user": ("role", "content"),
    "assistant": ("role", "content"),
    "tool": ("role", "name", "content", "tool_call_id"),
}
_CHARACTERS_PER_TOKEN = 4

VERIFYING = "verify_hook_continue"
"""Why an answer was not the last one of its turn: a plugin had something checked first."""


def wire_messages(history: Iterable[dict[str, Any]], behaviour: Behaviour, *, compact: bool) -> list[dict[str, Any]]:
    """Make the messages of a request.

    Args:
        history: The messages of the session; one that was sent with more than its content is sent so again.
        behaviour: What the release does.
        compact: Whether the arguments of tool calls are written anew, in the shortest form.
    """
    reasoning = not behaviour.reasoning_not_sent_back
    return [
        _sent(message, behaviour, compact)
        for message in history
        if not (reasoning and message.get("_thinking_prefill"))
    ]


def _sent(message: dict[str, Any], behaviour: Behaviour, compact: bool) -> dict[str, Any]:
    keys = _KEYS[message["role"]]
    if not behaviour.reasoning_not_sent_back:
        keys = (*keys, "reasoning_content")
    if not behaviour.recovery_mark_not_sent:
        keys = (*keys, "_empty_recovery_synthetic")
    sent = {key: message[key] for key in keys if key in message}
    if "api_content" in message:
        sent["content"] = message["api_content"]
    if isinstance(sent["content"], str):
        sent["content"] = sent["content"].strip()
    if calls := message.get("tool_calls"):
        sent["tool_calls"] = [_sent_call(call, compact) for call in calls]
    return sent


def _sent_call(call: dict[str, Any], compact: bool) -> dict[str, Any]:
    function = call["function"]
    arguments = function["arguments"]
    if compact:
        arguments = json.dumps(json.loads(arguments), separators=(",", ":"), sort_keys=True)
    return {"id": call["id"], "type": "function", "function": {"name": function["name"], "arguments": arguments}}


def rough_tokens(messages: Iterable[dict[str, Any]]) -> int:
    """Estimate the tokens of messages by their length, as the host does before a request."""
    return -(-sum(len(str(message)) for message in messages) // _CHARACTERS_PER_TOKEN)


def mend(history: list[dict[str, Any]]) -> None:
    """Bring messages into the order that providers expect, in place.

    Messages of the user that follow each other, as after a turn that failed, become one. Of answers that follow each
    other because ``pre_verify`` had the model go on, the last one stays.
    """
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
