"""Client for requests outside the conversation: providers, retries and exceptions (E6, E7)."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.providers.model_errors import ERRORS, find_error_name
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary_hooks import AuxiliaryHooks, Route
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("agent.auxiliary_client")

_MOST_RETRIES = 6


@of_module("agent.auxiliary_unavailable")
class AuxiliaryClientUnavailable(RuntimeError):
    """Raised if no provider is available."""


class Completion(NamedTuple):
    """Answer of a model: the text (may be empty), the `usage` with the API's names, and the whole `body`."""

    text: str
    provider: str
    model: str
    usage: dict[str, Any]
    body: dict[str, Any]


class AuxiliaryTask(NamedTuple):
    """The task of a request, with the user's and the plugin's settings for its model."""

    key: str
    settings: Mapping[str, Any]


class AuxiliaryClient:
    """Sends requests to the user's model outside the conversation.

    The scripted model stands in for every provider that Hermes would reach with a test's configuration: ``custom``, and
    providers without a key, for which Hermes falls back to it. There is no delay between attempts.
    """

    def __init__(self, state: HostState, hooks: Hooks) -> None:
        self._state = state
        self._hooks = hooks
        self._behaviour = state.behaviour

    @property
    def main(self) -> tuple[str, str]:
        """The configured provider and model; empty if not set."""
        section = self._state.config.read().get("model")
        if isinstance(section, str):
            return "", section.strip()
        values = section if isinstance(section, dict) else {}
        provider, model = (str(values.get(key) or "").strip() for key in ("provider", "default"))
        return provider.lower(), model

    def ask(
        self,
        messages: list[dict[str, Any]],
        *,
        provider: str | None,
        model: str | None,
        temperature: float | None,
        extra: dict[str, Any],
        task: AuxiliaryTask | None = None,
        task_name: str = "unknown",
        reasoning_effort: str | None = None,
    ) -> Completion:
        """Send a request and return the answer.

        `task_name` is the task that hooks receive for a request without `task`.

        Raises:
            NotSupported: The task has its own endpoint.
            RuntimeError: The provider is unavailable, or none is configured.
            Exception: The answer is an error; one of the classes of the package ``openai``.
        """
        settings = self._read_settings(task) if task else {}
        name = task.key if task else None
        provider = provider or _read_choice(settings.get("provider"))
        model = model or _read_choice(settings.get("model"))
        body: dict[str, Any] = {"messages": messages, "model": self._choose_model(name, provider, model)}
        if temperature is not None:
            body["temperature"] = temperature
        if reasoning_effort is not None:
            body["reasoning_effort"] = reasoning_effort
        if task:
            logger.info("Auxiliary %s: using %s (%s)", name, provider or self.main[0], body["model"])
        own = settings.get("extra_body")
        extra = {**(own if isinstance(own, dict) else {}), **extra}
        asked = provider or self.main[0]
        hooks = AuxiliaryHooks(self._hooks, Route(name or task_name, asked, self._find_address()), body, extra)
        return self._ask_with_fallback({**body, **extra}, hooks)._replace(provider=asked)

    def call(
        self,
        task: str | None = None,
        *,
        messages: list[Any],
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        **more: Any,
    ) -> Any:
        """Ask the user's model, as ``call_llm`` does; return its answer, with ``choices[0].message.content``."""
        return self._answer(task, messages, temperature, more)

    async def call_async(
        self,
        task: str | None = None,
        *,
        messages: list[Any],
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        **more: Any,
    ) -> Any:
        """Ask the user's model, as ``async_call_llm`` does; see `call`."""
        return self._answer(task, messages, temperature, more)

    def _answer(self, task: str | None, messages: list[Any], temperature: float | None, more: dict[str, Any]) -> Any:
        unmodelled = [*(["task"] if task else []), *(name for name, value in more.items() if value)]
        if unmodelled:
            raise self._state.unsupported(f"follow `{unmodelled[0]}` of call_llm")
        completion = self.ask(messages, provider=None, model=None, temperature=temperature, extra={})
        return json.loads(json.dumps(completion.body), object_hook=lambda values: SimpleNamespace(**values))

    def _find_address(self) -> str:
        section = self._state.config.read().get("model")
        address = str(section.get("base_url") or "") if isinstance(section, dict) else ""
        return f"{address.rstrip('/')}/" if address else ""

    def _read_settings(self, task: AuxiliaryTask) -> Mapping[str, Any]:
        for key in ("base_url", "api_key", "key_env", "api_key_env", "api_mode", "fallback_chain"):
            if task.settings.get(key):
                raise self._state.unsupported(f"follow `{key}` of the auxiliary task {task.key!r}")
        if task.key == "vision":
            raise self._state.unsupported("choose a vision model for the auxiliary task 'vision'")
        return task.settings

    def _choose_model(self, task: str | None, provider: str | None, model: str | None) -> str:
        """Return the model to request from a provider."""
        wanted = (provider or "auto").strip().lower()
        if wanted not in ("auto", "custom", "openrouter"):
            variable = f"{wanted.upper()}_API_KEY"
            raise self._make_unavailable_error(
                f"Provider '{wanted}' is set in config.yaml but no API key was found. Set the"
                f" {variable} variable, or choose a provider with `hermes model`."
            )
        if self._state.model is None:
            raise self._make_unavailable_error(
                f"No LLM provider configured for task={task} provider={provider or 'auto'}. Run: hermes setup"
            )
        # Without a key of OpenRouter, the host falls back to the main provider and drops the model.
        if wanted == "openrouter" or self._drops_model(wanted, model):
            return self.main[1]
        return model or self.main[1]

    def _drops_model(self, provider: str, model: str | None) -> bool:
        is_foreign = model is not None and "/" in model and "/" not in self.main[1]
        return is_foreign and provider == "auto" and self._behaviour.llm_configured_providers_only

    def _make_unavailable_error(self, message: str) -> RuntimeError:
        return (AuxiliaryClientUnavailable if self._behaviour.llm_unavailable_told else RuntimeError)(message)

    def _ask_with_fallback(self, body: dict[str, Any], hooks: AuxiliaryHooks) -> Completion:
        """Send a request, and retry once after an error for which Hermes tries another provider.

        Raises:
            NotSupported: The configuration names other providers.
        """
        if self._behaviour.llm_configured_providers_only:
            if any(self._state.config.read().get(key) for key in ("fallback_providers", "fallback_model")):
                raise self._state.unsupported("fall back to another provider outside the conversation")
            return self._ask_with_retries(body, hooks)
        try:
            return self._ask_with_retries(body, hooks)
        except Exception as error:
            if getattr(error, "status_code", None) not in (401, 402, 429):
                raise
            first = error
        logger.info("Auxiliary call: %s, trying fallback", first)
        try:
            return self._send(body, hooks)
        except Exception as error:
            if getattr(error, "status_code", None) == 401:
                raise first from None
            raise

    def _ask_with_retries(self, body: dict[str, Any], hooks: AuxiliaryHooks) -> Completion:
        left = self._count_retries()
        while True:
            try:
                return self._send(body, hooks)
            except Exception as error:
                status = getattr(error, "status_code", 0)
                is_transient = status == 408 or status >= 500
                if left == 0 or not is_transient:
                    raise
                logger.info("Auxiliary call: transient transport error; retrying same provider: %s", error)
                left -= 1

    def _count_retries(self) -> int:
        section = self._state.config.read().get("auxiliary")
        configured = section.get("transient_retries") if isinstance(section, dict) else None
        try:
            return 2 if configured is None else max(0, min(int(configured), _MOST_RETRIES))
        except (TypeError, ValueError):
            return 2

    def _send(self, body: dict[str, Any], hooks: AuxiliaryHooks) -> Completion:
        from hermes_sdk.llm import wire

        model = self._state.model
        assert model is not None
        hooks.report_request()
        answer, request = model.answer("aux", body)
        if answer.status is not None:
            error = _make_status_error(answer.status, wire.error(answer))
            hooks.report_error(error)
            raise error
        whole = wire.completion(answer, request)
        hooks.report_answer(whole)
        return Completion(answer.text or "", "", whole["model"], whole["usage"], whole)


def _read_choice(setting: Any) -> str | None:
    """Return the value of a setting, or None for ``auto``."""
    text = str(setting or "").strip()
    return None if text.lower() == "auto" else text or None


def _make_status_error(status: int, body: dict[str, Any]) -> Exception:
    """Create the ``openai`` exception for a status, with the package's own class if a plugin has imported it."""
    name = find_error_name(status)
    message = f"Error code: {status} - {body}"
    if "openai" in sys.modules:
        return _make_genuine_error(name, status, message, body["error"])
    error, details = _CLASSES[name](message), body["error"]
    known = {"status_code": status, "message": message, "body": details, "type": details.get("type")}
    vars(error).update(known, code=None, param=None, request_id=None)
    return error


def _make_genuine_error(name: str, status: int, message: str, body: Any) -> Exception:
    # We do not depend on `httpx`; `openai`, which the plugin has imported, does.
    httpx: Any = import_module("httpx")
    request = httpx.Request("POST", "http://127.0.0.1:1/v1/chat/completions")
    error: Exception = getattr(sys.modules["openai"], name)(
        message, response=httpx.Response(status, request=request), body=body
    )
    return error


def _make_classes() -> dict[str, type[Exception]]:
    """Create exception classes with the names and bases of those in the ``openai`` package."""
    base: type[Exception] = Exception
    for name in ("OpenAIError", "APIError", "APIStatusError"):
        base = type(name, (base,), {"__module__": "openai"})
    names = {*ERRORS.values(), "InternalServerError"}
    return {"APIStatusError": base, **{name: type(name, (base,), {"__module__": "openai"}) for name in names}}


_CLASSES = _make_classes()
