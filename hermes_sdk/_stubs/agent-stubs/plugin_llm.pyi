"""Types of ``agent.plugin_llm``."""

from typing import Any

from hermes_sdk.api import (
    PluginLlm as PluginLlm,
    PluginLlmCompleteResult as PluginLlmCompleteResult,
    PluginLlmImageInput as PluginLlmImageInput,
    PluginLlmStructuredResult as PluginLlmStructuredResult,
    PluginLlmTextInput as PluginLlmTextInput,
    PluginLlmTrustError as PluginLlmTrustError,
    PluginLlmUsage as PluginLlmUsage,
)

PluginLlmInput = PluginLlmTextInput | PluginLlmImageInput | dict[str, Any]
