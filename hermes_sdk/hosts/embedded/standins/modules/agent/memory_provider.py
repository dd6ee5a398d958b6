"""Stands in for ``agent.memory_provider``."""

from __future__ import annotations

from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.agent.memory import TRIVIAL as TRIVIAL_PROMPT_RE
from hermes_sdk.hosts.embedded.agent.memory import is_trivial_prompt
from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["INDICATOR_GLYPH", "TRIVIAL_PROMPT_RE", "MemoryProvider", "RecallStatus", "is_trivial_prompt"]

INDICATOR_GLYPH = "🧠"


class _Memory(Defaults):
    """Remembers across sessions."""

    idle = frozenset(
        {
            "on_delegation",
            "on_memory_write",
            "on_session_end",
            "on_session_switch",
            "on_turn_start",
            "queue_prefetch",
            "recall_status",
            "save_config",
            "shutdown",
            "sync_turn",
        }
    )

    def unavailable_reason(self) -> str:
        return ""

    def system_prompt_block(self) -> str:
        return ""

    def prefetch(self, **_: Any) -> str:
        return ""

    def handle_tool_call(self: Any, tool_name: str, **_: Any) -> NoReturn:
        raise NotImplementedError(f"Provider {self.name} does not handle tool {tool_name}")

    def on_pre_compress(self, **_: Any) -> str:
        return ""

    def identity_signature(self) -> dict[str, Any]:
        return {}

    def get_config_schema(self) -> list[dict[str, Any]]:
        return []

    def backup_paths(self) -> list[str]:
        return []


_classes = Classes(find_plugin_manager(__spec__).state, globals())
MemoryProvider = _classes.made("MemoryProvider", _Memory)
RecallStatus = _classes.made("RecallStatus")
