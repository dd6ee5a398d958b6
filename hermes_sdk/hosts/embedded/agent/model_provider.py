"""The configured model provider: its requirements, and its changes to requests (G23, G24)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Behaviour, Contract
from hermes_sdk.hosts.embedded.providers.model_providers import OMIT_TEMPERATURE

_URL_SUFFIXES = ("_BASE_URL", "_URL")
_CLIENT_ARGUMENTS = frozenset({
    "audio", "extra_body", "extra_headers", "extra_query", "frequency_penalty", "function_call", "functions",
    "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_retention",
    "reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream",
    "stream_options", "temperature", "timeout", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
    "web_search_options",
})  # fmt: skip
"""Arguments that the client of the ``openai`` package accepts for a request."""

_MIN_KEY_LENGTH = 4
_KEY_PREFIXES = ("sk-", "ghp_", "hf_")
_PLACEHOLDERS = frozenset(
    {"changeme", "your_api_key", "your-api-key", "placeholder", "example", "dummy", "null", "none"}
)


class AuthError(Exception):
    """Raised if the selected model provider is unknown or has no key."""


class ProviderNotConfiguredError(Exception):
    """Raised if the configuration does not select a usable model provider."""


@dataclass(frozen=True)
class ModelProvider:
    """The provider selected by the ``model`` section of the configuration."""

    name: str
    profile: Any
    """Its ``ProviderProfile``; None unless a plugin registered it."""
    base_url: str
    is_own_address: bool
    """Whether `base_url` is the provider's own address instead of the configured one."""

    @classmethod
    def choose(
        cls, section: Mapping[str, Any], find_profile: Callable[[str], Any], behaviour: Behaviour
    ) -> ModelProvider:
        """Select the provider from the ``model`` section.

        A URL in an environment variable of the provider overrides ``model.base_url``. On earlier releases,
        ``model.base_url`` does not apply if the provider is selected by an alias.
        """
        chosen = str(section.get("provider", "")).strip().lower()
        profile, configured = find_profile(chosen), str(section.get("base_url", ""))
        if profile is None:
            return cls(chosen, None, configured, is_own_address=False)
        override = next(
            (os.environ.get(name, "") for name in profile.env_vars if name.endswith(_URL_SUFFIXES)), ""
        ).strip()
        applies = behaviour.aliases_take_base_url or chosen == profile.name
        if configured and applies and not override:
            return cls(profile.name, profile, configured, is_own_address=False)
        return cls(profile.name, profile, (override or profile.base_url).rstrip("/"), is_own_address=True)

    def require_usable(self, contract: Contract) -> None:
        """Raise if a plugin's provider cannot be selected, or its key is missing."""
        profile = self.profile
        # A plugin cannot change what the host requires of a bundled provider.
        if profile is None or f"model-providers/{profile.name}" in contract.section("bundled_plugins"):
            return
        if profile.auth_type != "api_key" or not profile.env_vars:
            hint = "Check 'hermes model' and your configuration."
            if contract.behaviour.keyless_providers_unconfigured and profile.auth_type != "api_key":
                kind = ProviderNotConfiguredError if contract.behaviour.keyless_error_named else RuntimeError
                raise kind("No LLM provider configured. Run `hermes setup`.")
            raise AuthError(f"Unknown provider '{self.name}'. {hint}")
        keys = [name for name in profile.env_vars if not name.endswith(_URL_SUFFIXES)] or list(profile.env_vars)
        if any(_is_usable(os.environ.get(name, "").strip(), contract) for name in keys):
            return
        raise AuthError(f"No usable credentials found for provider '{self.name}'. Set {', '.join(keys)}.")

    def adapt_request(self, body: dict[str, Any], session_id: str, contract: Contract) -> dict[str, Any]:
        """Apply the changes of a plugin's provider to the arguments of a request, and return them."""
        profile = self.profile
        if profile is None:
            return body
        body = {**body, "messages": profile.prepare_messages(body["messages"])}
        if profile.fixed_temperature is not None and profile.fixed_temperature is not OMIT_TEMPERATURE:
            body["temperature"] = profile.fixed_temperature
        # The host calls this method even if a truncated response has set a limit.
        if limit := profile.get_max_tokens(body["model"]):
            body.setdefault("max_tokens", limit)
        known: dict[str, Any] = {"model": body["model"], "session_id": session_id, "reasoning_config": None}
        place = {"base_url": self.base_url}
        scope = {"cache_scope_id": session_id} if contract.behaviour.profile_gets_cache_scope else {}
        extras, top_level = profile.build_api_kwargs_extras(
            supports_reasoning=False,
            qwen_session_metadata=None,
            ollama_num_ctx=None,
            **place,
            **scope,
            **known,
        )
        body.update(top_level)
        own = profile.build_extra_body(provider_preferences=None, openrouter_min_coding_score=None, **place, **known)
        extra_body = {**(own or {}), **(extras or {})}
        return {**body, "extra_body": extra_body} if extra_body else body


def _is_usable(key: str, contract: Contract) -> bool:
    """Return whether a key is usable; later releases reject common placeholders."""
    if not contract.behaviour.placeholder_keys_refused:
        return bool(key)
    lowered = key.lower()
    is_hint = lowered.startswith("your_") and lowered.endswith("_here")
    masked = lowered.translate(str.maketrans("", "", " -_"))
    masked = masked.removeprefix(next((kind for kind in _KEY_PREFIXES if lowered.startswith(kind)), "").strip("-_"))
    return len(key) >= _MIN_KEY_LENGTH and lowered not in _PLACEHOLDERS and not is_hint and bool(masked.strip("x"))


def make_client_body(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Build the body that the client sends; raise `TypeError` for arguments that it does not accept."""
    for name in arguments:
        if name not in _CLIENT_ARGUMENTS:
            raise TypeError(f"Completions.create() got an unexpected keyword argument {name!r}")
    body = {name: value for name, value in arguments.items() if name != "extra_body"}
    body |= arguments.get("extra_body") or {}
    json.dumps(body)
    return body
