"""Stands in for ``agent.auxiliary_client``: requests to the user's model outside the conversation."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "async_call_llm",
    "call_llm",
    "extract_content_or_reasoning",
    "get_async_text_auxiliary_client",
    "get_text_auxiliary_client",
]

_host = find_plugin_manager(__spec__)
_client = AuxiliaryClient(_host.state, _host.registrations.hooks)
extract_content_or_reasoning = refused(__spec__, "extract_content_or_reasoning")
get_async_text_auxiliary_client = refused(__spec__, "get_async_text_auxiliary_client")
get_text_auxiliary_client = refused(__spec__, "get_text_auxiliary_client")


def call_llm(
    task: str | None = None,
    *,
    messages: list[Any],
    temperature: float | None = None,
    max_tokens: int | None = None,  # noqa: ARG001
    timeout: float | None = None,  # noqa: ARG001
    **more: Any,
) -> Any:
    """Ask the user's model and return its answer, with ``choices[0].message.content``."""
    return _ask(task, messages, temperature, more)


async def async_call_llm(
    task: str | None = None,
    *,
    messages: list[Any],
    temperature: float | None = None,
    max_tokens: int | None = None,  # noqa: ARG001
    timeout: float | None = None,  # noqa: ARG001
    **more: Any,
) -> Any:
    """Do what `call_llm` does."""
    return _ask(task, messages, temperature, more)


def _ask(task: str | None, messages: list[Any], temperature: float | None, more: dict[str, Any]) -> Any:
    unmodelled = [*(["task"] if task else []), *(name for name, value in more.items() if value)]
    if unmodelled:
        raise _host.state.unsupported(f"follow `{unmodelled[0]}` of call_llm")
    completion = _client.ask(messages, provider=None, model=None, temperature=temperature, extra={})
    return json.loads(json.dumps(completion.body), object_hook=lambda values: SimpleNamespace(**values))
