"""Stands in for ``agent.plugin_llm``: the object that a plugin calls as ``ctx.llm``, and the values that it returns."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.providers.plugin_llm import structured
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient, AuxiliaryTask
from hermes_sdk.hosts.embedded.providers.plugin_llm.gate import Overrides, PluginLlmTrustError, TrustGate
from hermes_sdk.hosts.embedded.providers.plugin_llm.structured import PluginLlmImageInput, PluginLlmTextInput, Wanted
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

_plugins = find_plugin_manager(__spec__)
_state = _plugins.state
_tasks = _plugins.registrations.auxiliary_tasks
_client = AuxiliaryClient(_state, _plugins.registrations.hooks)
_logger = logging.getLogger("agent.plugin_llm")


class _PluginLlm(Defaults):
    """The user's model, for one plugin; see `hermes_sdk.api.llm.PluginLlm`."""

    def __init__(self, *, plugin_id: str, **callers: Any) -> None:
        if any(callers.values()):
            raise _state.unsupported("model callers of PluginLlm other than its own")
        self._plugin_id = plugin_id
        self._gate = TrustGate(plugin_id, _state, _tasks)

    def complete(self, **call: Any) -> Any:
        return self._complete(call)

    def acomplete(self, **call: Any) -> Any:
        return self._complete(call, is_async=True)

    def complete_structured(self, **call: Any) -> Any:
        return self._complete_structured("complete_structured", call)

    def acomplete_structured(self, **call: Any) -> Any:
        return self._complete_structured("acomplete_structured", call, is_async=True)

    def _complete(self, call: dict[str, Any], *, is_async: bool = False) -> Any:
        chosen = self._allow(call)
        result = PluginLlmCompleteResult(**self._ask(call, chosen, call["messages"], {}))
        self._log("complete", call, chosen, result, is_async)
        return result

    def _complete_structured(self, method: str, call: dict[str, Any], *, is_async: bool = False) -> Any:
        structured.check(method, call["instructions"], call["input"])
        chosen = self._allow(call)
        wanted = Wanted(call["json_schema"], call["schema_name"], call["json_mode"])
        messages = structured.messages(call["instructions"], call["input"], wanted, call["system_prompt"])
        values = self._ask(call, chosen, messages, wanted.response_format)
        parsed, content_type = structured.value_in(values["text"], wanted, validates=_state.finds_package("jsonschema"))
        result = PluginLlmStructuredResult(**values, parsed=parsed, content_type=content_type)
        self._log("complete_structured", call, chosen, result, is_async, f"content_type={content_type} ")
        return result

    def _allow(self, call: dict[str, Any]) -> Overrides:
        task = self._gate.check_task(call.get("task"))
        return self._gate.check(call["provider"], call["model"], call["agent_id"], call["profile"])._replace(task=task)

    def _ask(self, call: dict[str, Any], chosen: Overrides, messages: Any, extra: dict[str, Any]) -> dict[str, Any]:
        """Ask, and return what both kinds of result hold."""
        if chosen.profile:
            extra = {**extra, "metadata": {"auth_profile": chosen.profile}}
        completion = _client.ask(
            messages,
            provider=chosen.provider,
            model=chosen.model,
            temperature=call["temperature"],
            extra=extra,
            task=AuxiliaryTask(chosen.task, _tasks.settings(chosen.task)) if chosen.task else None,
        )
        audit = {"plugin_id": self._plugin_id, "purpose": call["purpose"] or "", "profile": chosen.profile or ""}
        if "schema_name" in call:
            audit["schema_name"] = call["schema_name"] or ""
        if "task" in call:
            audit["task"] = chosen.task or ""
        return {
            "text": completion.text,
            "provider": (completion.provider if chosen.task else chosen.provider or _client.main[0]) or "auto",
            "model": completion.model,
            "agent_id": chosen.agent_id or "default",
            "usage": _usage(completion.usage),
            "audit": audit,
        }

    def _log(
        self, method: str, call: dict[str, Any], chosen: Overrides, result: Any, is_async: bool, more: str = ""
    ) -> None:
        if is_async and not _state.behaviour.llm_async_logged:
            return
        task = f"task={chosen.task or ''} " if "task" in call else ""
        _logger.info(
            "plugin_llm.%s plugin=%s provider=%s model=%s %spurpose=%s %stokens=%d",
            f"a{method}" if is_async and "task" in call else method,
            self._plugin_id,
            result.provider,
            result.model,
            task,
            call["purpose"] or "",
            more,
            result.usage.total_tokens,
        )


_classes = Classes(_state, globals())
PluginLlmUsage = _classes.made("PluginLlmUsage")
PluginLlmCompleteResult = _classes.made("PluginLlmCompleteResult")
PluginLlmStructuredResult = _classes.made("PluginLlmStructuredResult")
PluginLlm = _classes.made("PluginLlm", _PluginLlm)
PluginLlmInput = PluginLlmTextInput | PluginLlmImageInput | dict[str, Any]


def _usage(counts: dict[str, Any]) -> Any:
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
        cost_usd=None,
    )
