"""Stands in for ``agent.plugin_llm``: the classes behind ``ctx.llm``."""

from typing import Any

from hermes_sdk.hosts.embedded.providers.plugin_llm.access import (
    PluginLlm,
    PluginLlmCompleteResult,
    PluginLlmStructuredResult,
    PluginLlmUsage,
)
from hermes_sdk.hosts.embedded.providers.plugin_llm.gate import PluginLlmTrustError
from hermes_sdk.hosts.embedded.providers.plugin_llm.structured import PluginLlmImageInput, PluginLlmTextInput

__all__ = [
    "PluginLlm",
    "PluginLlmCompleteResult",
    "PluginLlmImageInput",
    "PluginLlmInput",
    "PluginLlmStructuredResult",
    "PluginLlmTextInput",
    "PluginLlmTrustError",
    "PluginLlmUsage",
]

PluginLlmInput = PluginLlmTextInput | PluginLlmImageInput | dict[str, Any]
