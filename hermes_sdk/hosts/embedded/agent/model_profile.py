"""What the hooks of a plugin's provider of models make of a request (statement G23)."""

from __future__ import annotations

import json
import sys
from typing import Any

from hermes_sdk.hosts.embedded.agent.runtime import Runtime

_SENT = frozenset({
    "audio", "extra_body", "extra_headers", "extra_query", "frequency_penalty", "function_call", "functions",
    "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_retention",
    "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream",
    "stream_options", "temperature", "timeout", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
    "web_search_options",
})  # fmt: skip
"""What the client of the package ``openai`` takes for a request."""


def adapted(profile: Any, body: dict[str, Any], runtime: Runtime, session_id: str) -> dict[str, Any]:
    """The arguments of a request as a provider wants them.

    Args:
        profile: Its ``ProviderProfile``.
        body: The arguments as the host would pass them.
        runtime: What the sessions of the host share.
        session_id: The session.
    """
    body = {**body, "messages": profile.prepare_messages(body["messages"])}
    omitted = getattr(sys.modules.get("providers.base"), "OMIT_TEMPERATURE", None)
    if profile.fixed_temperature is not None and profile.fixed_temperature is not omitted:
        body["temperature"] = profile.fixed_temperature
    # Asked also when an answer that was cut off has the say.
    limit = _limit(profile, runtime.model_name, asked=runtime.behaviour.profile_limits_tokens)
    if limit:
        body.setdefault("max_tokens", limit)
    known: dict[str, Any] = {"model": runtime.model_name, "session_id": session_id, "reasoning_config": None}
    place = {"base_url": runtime.access.base_url}
    extras, top_level = profile.build_api_kwargs_extras(
        supports_reasoning=False,
        qwen_session_metadata=None,
        ollama_num_ctx=None,
        **(place if runtime.behaviour.profile_gets_base_url else {}),
        **known,
    )
    body.update(top_level)
    own = profile.build_extra_body(provider_preferences=None, openrouter_min_coding_score=None, **place, **known)
    extra_body = {**(own or {}), **(extras or {})}
    return {**body, "extra_body": extra_body} if extra_body else body


def sent(payload: dict[str, Any]) -> dict[str, Any]:
    """The body that the client makes of the arguments of a request.

    Raises:
        TypeError: The client does not take one of them, or one is no JSON.
    """
    for name in payload:
        if name not in _SENT:
            raise TypeError(f"Completions.create() got an unexpected keyword argument {name!r}")
    body = {name: value for name, value in payload.items() if name != "extra_body"} | (payload.get("extra_body") or {})
    json.dumps(body)
    return body


def _limit(profile: Any, model: str, *, asked: bool) -> int | None:
    found: int | None = profile.get_max_tokens(model) if asked else profile.default_max_tokens
    return found
