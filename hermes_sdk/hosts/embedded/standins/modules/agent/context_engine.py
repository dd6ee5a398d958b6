"""Stands in for ``agent.context_engine``."""

from __future__ import annotations

import copy
import json
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["ContextEngine"]


class _Engine(Defaults):
    """Keeps a conversation within the model's context."""

    idle = frozenset({"on_session_end", "on_session_start", "on_turn_complete", "select_context"})

    def should_compress_preflight(self, **_: Any) -> bool:
        return False

    def should_defer_preflight_to_real_usage(self, **_: Any) -> bool:
        return False

    def has_content_to_compress(self, **_: Any) -> bool:
        return True

    def on_session_reset(self: Any) -> None:
        self.last_prompt_tokens = self.last_completion_tokens = self.last_total_tokens = self.compression_count = 0

    def should_compress_info(self: Any, prompt_tokens: int | None) -> tuple[bool, None]:
        return self.should_compress(prompt_tokens), None

    def prune_tool_results_only(self, messages: list[Any], **_: Any) -> tuple[list[Any], int]:
        return messages, 0

    def get_automatic_compaction_status_message(self: Any, default_message: str, **_: Any) -> str | None:
        return default_message if self.emit_automatic_compaction_status else None

    def clone_for_agent(self) -> Any:
        return copy.deepcopy(self)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return []

    def handle_tool_call(self, name: str, **_: Any) -> str:
        return json.dumps({"error": f"Unknown context engine tool: {name}"})

    def get_status(self: Any) -> dict[str, Any]:
        # Below zero is what an engine has right after a compression, before the provider has counted.
        prompt = max(self.last_prompt_tokens, 0)
        return {
            "last_prompt_tokens": prompt,
            "threshold_tokens": self.threshold_tokens,
            "context_length": self.context_length,
            "usage_percent": min(100, prompt / self.context_length * 100) if self.context_length else 0,
            "compression_count": self.compression_count,
        }

    def update_model(self: Any, context_length: int, **_: Any) -> None:
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)


ContextEngine = Classes(find_plugin_manager(__spec__).state, globals()).made("ContextEngine", _Engine)
