"""The object that a plugin calls as ``ctx.llm``, and the values that it returns."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.providers.plugin_llm import structured
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient
from hermes_sdk.hosts.embedded.providers.plugin_llm.gate import Overrides, TrustGate
from hermes_sdk.hosts.embedded.providers.plugin_llm.structured import Wanted
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("agent.plugin_llm")


@of_module("agent.plugin_llm")
@dataclass
class PluginLlmUsage:
    """What a request cost, in tokens."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None


@of_module("agent.plugin_llm")
@dataclass
class PluginLlmCompleteResult:
    """The answer to ``complete``."""

    text: str
    provider: str
    model: str
    agent_id: str
    usage: PluginLlmUsage = field(default_factory=PluginLlmUsage)
    audit: dict[str, Any] = field(default_factory=dict)


@of_module("agent.plugin_llm")
@dataclass
class PluginLlmStructuredResult:
    """The answer to ``complete_structured``; no subclass of the other."""

    text: str
    provider: str
    model: str
    agent_id: str
    usage: PluginLlmUsage = field(default_factory=PluginLlmUsage)
    parsed: Any | None = None
    content_type: str = "text"
    audit: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Call:
    """What all four methods take alike."""

    overrides: Overrides
    temperature: float | None
    max_tokens: int | None
    purpose: str | None
    is_async: bool = False


@of_module("agent.plugin_llm")
class PluginLlm:
    """The user's model, for one plugin.

    Args:
        plugin_id: The key of the plugin.
        state: What the parts of the host share.
    """

    def __init__(self, *, plugin_id: Any, state: HostState) -> None:
        self._plugin_id = plugin_id
        self._gate = TrustGate(plugin_id, state)
        self._client = AuxiliaryClient(state)
        self._validates = state.finds_package("jsonschema")
        self._reports_cost = state.behaviour.llm_cost_reported
        self._logs_async = state.behaviour.llm_async_logged

    def complete(
        self,
        messages: list[dict[str, Any]],
        *,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
    ) -> PluginLlmCompleteResult:
        """Send messages; see `hermes_sdk.api.llm.PluginLlm`."""
        overrides = self._gate.allowed(provider, model, agent_id, profile)
        return self._complete(messages, _Call(overrides, temperature, max_tokens, purpose))

    def complete_structured(
        self,
        *,
        instructions: str,
        input: Sequence[Any],
        json_schema: Any | None = None,
        json_mode: bool = False,
        schema_name: str | None = None,
        system_prompt: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
    ) -> PluginLlmStructuredResult:
        """Ask for an answer that may be JSON; see `hermes_sdk.api.llm.PluginLlm`."""
        structured.check("complete_structured", instructions, input)
        overrides = self._gate.allowed(provider, model, agent_id, profile)
        wanted = Wanted(json_schema, schema_name, json_mode)
        messages = structured.messages(instructions, input, wanted, system_prompt)
        return self._structured(messages, wanted, _Call(overrides, temperature, max_tokens, purpose))

    async def acomplete(
        self,
        messages: list[dict[str, Any]],
        *,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
    ) -> PluginLlmCompleteResult:
        """`complete` for coroutines."""
        overrides = self._gate.allowed(provider, model, agent_id, profile)
        return self._complete(messages, _Call(overrides, temperature, max_tokens, purpose, is_async=True))

    async def acomplete_structured(
        self,
        *,
        instructions: str,
        input: Sequence[Any],
        json_schema: Any | None = None,
        json_mode: bool = False,
        schema_name: str | None = None,
        system_prompt: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
    ) -> PluginLlmStructuredResult:
        """`complete_structured` for coroutines."""
        structured.check("acomplete_structured", instructions, input)
        overrides = self._gate.allowed(provider, model, agent_id, profile)
        wanted = Wanted(json_schema, schema_name, json_mode)
        messages = structured.messages(instructions, input, wanted, system_prompt)
        return self._structured(messages, wanted, _Call(overrides, temperature, max_tokens, purpose, is_async=True))

    def _complete(self, messages: list[dict[str, Any]], call: _Call) -> PluginLlmCompleteResult:
        result = PluginLlmCompleteResult(**self._answered(messages, call, {}))
        if self._is_logged(call):
            self._log("complete", result, call)
        return result

    def _structured(self, messages: list[dict[str, Any]], wanted: Wanted, call: _Call) -> PluginLlmStructuredResult:
        values = self._answered(messages, call, wanted.response_format)
        values["audit"]["schema_name"] = wanted.schema_name or ""
        parsed, content_type = structured.value_in(values["text"], wanted, validates=self._validates)
        result = PluginLlmStructuredResult(**values, parsed=parsed, content_type=content_type)
        if self._is_logged(call):
            self._log("complete_structured", result, call, f"content_type={content_type} ")
        return result

    def _answered(self, messages: list[dict[str, Any]], call: _Call, extra: dict[str, Any]) -> dict[str, Any]:
        """Ask, and return what both kinds of result hold."""
        chosen = call.overrides
        if chosen.profile:
            extra = {**extra, "metadata": {"auth_profile": chosen.profile}}
        completion = self._client.ask(
            messages,
            provider=chosen.provider,
            model=chosen.model,
            temperature=call.temperature,
            max_tokens=call.max_tokens,
            extra=extra,
            is_async=call.is_async,
        )
        return {
            "text": completion.text,
            "provider": chosen.provider or self._client.main[0] or "auto",
            "model": completion.model,
            "agent_id": chosen.agent_id or "default",
            "usage": self._usage(completion.usage),
            "audit": {
                "plugin_id": self._plugin_id,
                "purpose": call.purpose or "",
                "profile": chosen.profile or "",
            },
        }

    def _is_logged(self, call: _Call) -> bool:
        return not call.is_async or self._logs_async

    def _usage(self, counts: dict[str, Any]) -> PluginLlmUsage:
        def count(*names: str) -> int:
            return next((int(counts[name]) for name in names if counts.get(name)), 0)

        sent = count("prompt_tokens", "input_tokens")
        received = count("completion_tokens", "output_tokens")
        return PluginLlmUsage(
            input_tokens=sent,
            output_tokens=received,
            total_tokens=count("total_tokens") or sent + received,
            cache_read_tokens=count("cache_read_input_tokens", "cache_read_tokens"),
            cache_write_tokens=count("cache_creation_input_tokens", "cache_write_tokens"),
            cost_usd=counts.get("cost") if self._reports_cost else None,
        )

    def _log(
        self, method: str, result: PluginLlmCompleteResult | PluginLlmStructuredResult, call: _Call, more: str = ""
    ) -> None:
        logger.info(
            "plugin_llm.%s plugin=%s provider=%s model=%s purpose=%s %stokens=%d",
            method,
            self._plugin_id,
            result.provider,
            result.model,
            call.purpose or "",
            more,
            result.usage.total_tokens,
        )
