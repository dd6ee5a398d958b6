"""Stands in for ``agent.memory_provider``."""

from hermes_sdk.hosts.embedded.agent.memory import TRIVIAL as TRIVIAL_PROMPT_RE
from hermes_sdk.hosts.embedded.agent.memory import is_trivial_prompt
from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["INDICATOR_GLYPH", "TRIVIAL_PROMPT_RE", "MemoryProvider", "RecallStatus", "is_trivial_prompt"]

_state = find_plugin_manager(__spec__).state
INDICATOR_GLYPH = "🧠"
MemoryProvider = provider_class("MemoryProvider", _state)
RecallStatus = provider_class("RecallStatus", _state)
