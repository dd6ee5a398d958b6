"""Stands in for ``agent.plugin_llm``: the ``ctx.llm`` object and its results."""

from typing import Any

from hermes_sdk.hosts.embedded.providers.plugin_llm.gate import PluginLlmTrustError
from hermes_sdk.hosts.embedded.providers.plugin_llm.structured_output import PluginLlmImageInput, PluginLlmTextInput
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

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

_classes = find_plugin_manager(__spec__).registrations.plugin_llm
PluginLlm = _classes.PluginLlm
PluginLlmCompleteResult = _classes.PluginLlmCompleteResult
PluginLlmStructuredResult = _classes.PluginLlmStructuredResult
PluginLlmUsage = _classes.PluginLlmUsage
PluginLlmInput = PluginLlmTextInput | PluginLlmImageInput | dict[str, Any]
