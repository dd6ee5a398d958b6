"""The engine, which Hermes calls before and after each request to the model."""

from __future__ import annotations

import json
from typing import Any

from agent.context_engine import ContextEngine

TURNS = 3
"""How many turns to keep at the end of a conversation."""

STATUS: dict[str, Any] = {
    "name": "{{ cookiecutter.__package }}_status",
    "description": "Return how many messages of this conversation were removed because it became too long.",
    "parameters": {"type": "object", "properties": {}},
}


class Engine(ContextEngine):
    """Keeps the system prompt and the last turns."""

    def __init__(self) -> None:
        self._left_out = 0

    @property
    def name(self) -> str:
        """The name that `context.engine` selects."""
        return "{{ cookiecutter.plugin_slug }}"

    def update_model(self, model: str, context_length: int, *args: Any, **kwargs: Any) -> None:
        """Store the limits of the model, at the start of a session and when the user switches models."""
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)

    def update_from_response(self, usage: dict[str, Any]) -> None:
        """Store the token usage of an answer."""
        self.last_prompt_tokens = usage.get("prompt_tokens", 0)
        self.last_completion_tokens = usage.get("completion_tokens", 0)
        self.last_total_tokens = usage.get("total_tokens", 0)

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Return whether the conversation is too long."""
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return tokens > self.threshold_tokens > 0

    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
        **kwargs: Any,
    ) -> list[dict[str, Any]]:
        """Return the messages that replace the conversation."""
        self.compression_count += 1
        beginning = [message for message in messages[:1] if message["role"] == "system"]
        # A turn begins with a user message, so this never separates a tool call from its result.
        turns = [number for number, message in enumerate(messages) if message["role"] == "user"]
        start = turns[-TURNS:][0] if turns else len(beginning)
        self._left_out += start - len(beginning)
        return beginning + messages[start:]

    def on_session_start(self, session_id: str, **kwargs: Any) -> None:
        """Start a conversation, or continue one with another session ID after a compression."""
        if kwargs.get("boundary_reason") != "compression":
            self._left_out = 0

    def on_session_reset(self) -> None:
        """Forget the conversation."""
        super().on_session_reset()
        self._left_out = 0

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools that the model is offered."""
        return [dict(STATUS)]

    def handle_tool_call(self, name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run the tool."""
        return json.dumps({"left_out": self._left_out, "times": self.compression_count})
