"""Token estimates of requests, from the length of their text and the provider's last count (G15)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour

_CHARACTERS_PER_TOKEN = 4
_UNCOUNTED_KEYS = frozenset(
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
"""Keys of a message that are not counted: those for the host only, and the alternative content."""
_FORMERLY_COUNTED_KEYS = ("_row_id", "display_kind", "display_metadata")
_IDENTITY_KEYS = ("role", "content", "api_content", "tool_call_id", "tool_calls")


def estimate_messages(messages: Iterable[Mapping[str, Any]], behaviour: Behaviour) -> int:
    """Estimate the tokens of messages."""
    if behaviour.messages_counted_as_sent:
        return sum(_estimate_message(one, behaviour) for one in messages)
    return _count_tokens(sum(len(str(one)) for one in messages))


def estimate_tools(tools: Iterable[Mapping[str, Any]]) -> int:
    """Estimate the tokens of tool definitions."""
    count = 0
    for function in (tool["function"] for tool in tools):
        texts = (one for one in (function.get("name"), function.get("description")) if isinstance(one, str))
        schema = json.dumps(function.get("parameters") or {}, ensure_ascii=False, separators=(",", ":"))
        count += len(schema) + sum(map(len, texts))
    return _count_tokens(count)


def _estimate_message(message: Mapping[str, Any], behaviour: Behaviour) -> int:
    has_row = not message.keys().isdisjoint(_FORMERLY_COUNTED_KEYS)
    counted = _FORMERLY_COUNTED_KEYS if has_row and not behaviour.rows_uncounted else ()
    sent = {key: value for key, value in message.items() if key not in _UNCOUNTED_KEYS or key in counted}
    thought = message.get("reasoning_content")
    if behaviour.messages_counted_in_bytes and isinstance(thought, str) and thought.strip():
        sent.pop("reasoning", None)
    if message.get("api_content") and message["role"] != "tool":
        sent["content"] = message["api_content"]
    text = str(sent)
    return _count_tokens(len(text.encode("utf-8", "replace") if behaviour.messages_counted_in_bytes else text))


def _count_tokens(length: int) -> int:
    return -(-length // _CHARACTERS_PER_TOKEN)


class UsageAnchor:
    """Token count of the last request, valid while the history begins with its messages."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._tokens = 0
        self._counted: list[str] = []

    def record(self, usage: Mapping[str, int], messages: Sequence[Mapping[str, Any]]) -> None:
        """Record the usage of a request with these messages, if the response reports it."""
        if usage.get("prompt_tokens", 0) > 0:
            self._tokens = usage["prompt_tokens"] + usage.get("output_tokens", 0)
            self._counted = [_identify(one) for one in messages]

    def drop(self) -> None:
        """Discard the count, because the messages were compressed."""
        self._counted = []

    def estimate(self, messages: Sequence[Mapping[str, Any]]) -> int | None:
        """Estimate the tokens of a history; None if it does not begin with the messages of the request."""
        count = len(self._counted)
        if not count or [_identify(one) for one in messages[:count]] != self._counted:
            return None
        new = messages[count:]
        if new and new[0]["role"] == "assistant":
            # The provider has already counted its own response.
            new = new[1:]
        return self._tokens + estimate_messages(new, self._behaviour)


def _identify(message: Mapping[str, Any]) -> str:
    return json.dumps([message.get(key) for key in _IDENTITY_KEYS], default=str)
