"""How many tokens a request has about, by the length of its texts, where no provider counted them (G15)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hermes_sdk.contract import Behaviour

_PER_TOKEN = 4
_UNPRICED = frozenset(
    {
        "_db_row_snapshot",
        "_row_id",
        "_tool_call_uid",
        "_tool_call_uids",
        "api_content",
        "display_kind",
        "display_metadata",
        "message_uid",
        "timestamp",
    }
)
"""What a message has for the host alone, and the form of its content that is sent."""


def estimate_messages(messages: Iterable[Mapping[str, Any]], behaviour: Behaviour) -> int:
    """Estimate the tokens of messages."""
    if behaviour.messages_counted_as_sent:
        return sum(_estimate_message(one, behaviour) for one in messages)
    return _divide(sum(len(str(one)) for one in messages))


def estimate_tools(tools: Iterable[Mapping[str, Any]]) -> int:
    """Estimate the tokens of definitions of tools."""
    count = 0
    for function in (tool["function"] for tool in tools):
        texts = (one for one in (function.get("name"), function.get("description")) if isinstance(one, str))
        schema = json.dumps(function.get("parameters") or {}, ensure_ascii=False, separators=(",", ":"))
        count += len(schema) + sum(map(len, texts))
    return _divide(count)


def _estimate_message(message: Mapping[str, Any], behaviour: Behaviour) -> int:
    sent = {key: value for key, value in message.items() if key not in _UNPRICED}
    thought = message.get("reasoning_content")
    if behaviour.messages_counted_in_bytes and isinstance(thought, str) and thought.strip():
        sent.pop("reasoning", None)
    if message.get("api_content") and message["role"] != "tool":
        sent["content"] = message["api_content"]
    text = str(sent)
    return _divide(len(text.encode("utf-8", "replace") if behaviour.messages_counted_in_bytes else text))


def _divide(length: int) -> int:
    return -(-length // _PER_TOKEN)
