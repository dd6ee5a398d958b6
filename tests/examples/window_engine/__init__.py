"""A context engine that keeps the start and the last turns of a conversation, and counts omitted messages."""

from __future__ import annotations

import json
from typing import Any

from agent.context_engine import ContextEngine

TURNS = 2
SCHEMA = {
    "name": "window_status",
    "description": "Tells how much of the conversation was left out.",
    "parameters": {"type": "object", "properties": {"unit": {"type": "string", "enum": ["messages", "times"]}}},
}


class WindowEngine(ContextEngine):
    name = "window_engine"

    def __init__(self) -> None:
        self._left_out = 0

    def update_from_response(self, usage: dict[str, Any]) -> None:
        self.last_prompt_tokens = usage.get("prompt_tokens", 0)
        self.last_completion_tokens = usage.get("completion_tokens", 0)
        self.last_total_tokens = usage.get("total_tokens", 0)

    def update_model(self, model: str, context_length: int, **kwargs: Any) -> None:
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return tokens > self.threshold_tokens > 0

    def compress(
        self, messages: list[dict[str, Any]], current_tokens: int | None = None, **kwargs: Any
    ) -> list[dict[str, Any]]:
        self.compression_count += 1
        begin = [one for one in messages[:1] if one["role"] == "system"]
        turns = [number for number, one in enumerate(messages) if one["role"] == "user"]
        start = turns[-TURNS:][0] if turns else len(begin)
        self._left_out += start - len(begin)
        return begin + messages[start:]

    def on_session_start(self, session_id: str, **kwargs: Any) -> None:
        self._left_out = 0

    def on_session_reset(self) -> None:
        super().on_session_reset()
        self._left_out = 0

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return [SCHEMA]

    def handle_tool_call(self, name: str, args: dict[str, Any], **kwargs: Any) -> str:
        counts = {"messages": self._left_out, "times": self.compression_count}
        unit = args.get("unit", "messages")
        if not isinstance(unit, str) or unit not in counts:
            return json.dumps({"error": "unit is messages or times."})
        return json.dumps({unit: counts[unit]})


def register(ctx: Any) -> None:
    ctx.register_context_engine(WindowEngine())
