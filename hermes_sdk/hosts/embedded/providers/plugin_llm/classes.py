"""Classes of ``agent.plugin_llm``: the ``ctx.llm`` object and its results."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.providers.auxiliary_tasks import AuxiliaryTasks
from hermes_sdk.hosts.embedded.providers.plugin_llm import structured_output
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient, AuxiliaryTask
from hermes_sdk.hosts.embedded.providers.plugin_llm.gate import Overrides, TrustGate
from hermes_sdk.hosts.embedded.providers.plugin_llm.structured_output import AnswerFormat
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("agent.plugin_llm")


class PluginLlmClasses:
    """The classes of ``agent.plugin_llm`` for one host."""

    def __init__(self, state: HostState, hooks: Hooks, tasks: AuxiliaryTasks) -> None:
        self.state = state
        self.tasks = tasks
        self.client = AuxiliaryClient(state, hooks)
        classes = Classes(state, vars(self))
        self.PluginLlmUsage = classes.make("PluginLlmUsage")
        self.PluginLlmCompleteResult = classes.make("PluginLlmCompleteResult")
        self.PluginLlmStructuredResult = classes.make("PluginLlmStructuredResult")
        self.PluginLlm = classes.make("PluginLlm", _PluginLlm, _llm=self)

    def count_usage(self, counts: dict[str, Any]) -> Any:
        """Return the token usage of an answer, whose keys follow one of two conventions."""

        def count(*names: str) -> int:
            return next((int(counts[name]) for name in names if counts.get(name)), 0)

        sent = count("prompt_tokens", "input_tokens")
        received = count("completion_tokens", "output_tokens")
        return self.PluginLlmUsage(
            input_tokens=sent,
            output_tokens=received,
            total_tokens=count("total_tokens") or sent + received,
            cache_read_tokens=count("cache_read_input_tokens", "cache_read_tokens"),
            cache_write_tokens=count("cache_creation_input_tokens", "cache_write_tokens"),
            cost_usd=None,
        )


class _PluginLlm(Defaults):
    """Access of one plugin to the user's model; see `hermes_sdk.api.llm.PluginLlm`."""

    _llm: PluginLlmClasses

    def __init__(self, *, plugin_id: str, **callers: Any) -> None:
        if any(callers.values()):
            raise self._llm.state.unsupported("model callers of PluginLlm other than its own")
        self._plugin_id = plugin_id
        self._gate = TrustGate(plugin_id, self._llm.state, self._llm.tasks)

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
        result = self._llm.PluginLlmCompleteResult(**self._ask(call, chosen, call["messages"], {}))
        self._log("complete", call, chosen, result, is_async)
        return result

    def _complete_structured(self, method: str, call: dict[str, Any], *, is_async: bool = False) -> Any:
        structured_output.check(method, call["instructions"], call["input"])
        chosen = self._allow(call)
        wanted = AnswerFormat(call["json_schema"], call["schema_name"], call["json_mode"])
        messages = structured_output.build_messages(call["instructions"], call["input"], wanted, call["system_prompt"])
        values = self._ask(call, chosen, messages, wanted.response_format)
        parsed, content_type = structured_output.parse_value(
            values["text"], wanted, validates=self._llm.state.finds_package("jsonschema")
        )
        result = self._llm.PluginLlmStructuredResult(**values, parsed=parsed, content_type=content_type)
        self._log("complete_structured", call, chosen, result, is_async, f"content_type={content_type} ")
        return result

    def _allow(self, call: dict[str, Any]) -> Overrides:
        task = self._gate.check_task(call.get("task"))
        return self._gate.check(call["provider"], call["model"], call["agent_id"], call["profile"])._replace(task=task)

    def _ask(self, call: dict[str, Any], chosen: Overrides, messages: Any, extra: dict[str, Any]) -> dict[str, Any]:
        """Send a request, and return the fields that both kinds of results share."""
        if chosen.profile:
            extra = {**extra, "metadata": {"auth_profile": chosen.profile}}
        completion = self._llm.client.ask(
            messages,
            provider=chosen.provider,
            model=chosen.model,
            temperature=call["temperature"],
            extra=extra,
            task=AuxiliaryTask(chosen.task, self._llm.tasks.settings(chosen.task)) if chosen.task else None,
        )
        audit = {"plugin_id": self._plugin_id, "purpose": call["purpose"] or "", "profile": chosen.profile or ""}
        if "schema_name" in call:
            audit["schema_name"] = call["schema_name"] or ""
        if "task" in call:
            audit["task"] = chosen.task or ""
        return {
            "text": completion.text,
            "provider": (completion.provider if chosen.task else chosen.provider or self._llm.client.main[0]) or "auto",
            "model": completion.model,
            "agent_id": chosen.agent_id or "default",
            "usage": self._llm.count_usage(completion.usage),
            "audit": audit,
        }

    def _log(
        self, method: str, call: dict[str, Any], chosen: Overrides, result: Any, is_async: bool, more: str = ""
    ) -> None:
        if is_async and not self._llm.state.behaviour.llm_async_logged:
            return
        task = f"task={chosen.task or ''} " if "task" in call else ""
        logger.info(
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
