"""Base classes of providers for plugins, and the default behaviour of their methods."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.providers.secret_sources import FetchResult, SecretSource
from hermes_sdk.hosts.embedded.state import HostState


class _Backend(Defaults):
    """A backend with a name."""

    def display_name(self: Any) -> str:
        name: str = self.name
        return name

    def get_setup_schema(self: Any) -> dict[str, Any]:
        return {"name": self.display_name, "badge": "", "tag": "", "env_vars": []}


class _ModelBackend(_Backend):
    """A backend with models, of which the first is the default."""

    def display_name(self: Any) -> str:
        return str(self.name.title())

    def is_available(self) -> bool:
        return True

    def list_models(self) -> list[dict[str, Any]]:
        return []

    def default_model(self: Any) -> Any:
        return _first_id(self.list_models())


class _VoiceBackend(_ModelBackend):
    """A backend with models and voices."""

    def list_voices(self) -> list[dict[str, Any]]:
        return []

    def default_voice(self: Any) -> Any:
        return _first_id(self.list_voices())

    def voice_compatible(self) -> bool:
        return False


class _Browser(_Backend):
    """Runs browsers in the cloud."""

    def is_configured(self: Any) -> Any:
        return self.is_available()

    def provider_name(self: Any) -> Any:
        return self.display_name


class _Images(_ModelBackend):
    """Generates images."""

    def capabilities(self) -> dict[str, Any]:
        return {"modalities": ["text"], "max_reference_images": 0}


class _Videos(_ModelBackend):
    """Generates videos."""

    _embedded: HostState

    def capabilities(self) -> dict[str, Any]:
        constants = self._embedded.contract.section("constants")["agent.video_gen_provider"]
        return {
            "modalities": ["text"],
            "aspect_ratios": list(constants["COMMON_ASPECT_RATIOS"]),
            "resolutions": list(constants["COMMON_RESOLUTIONS"]),
            "max_duration": 10,
            "min_duration": 1,
            "supports_audio": False,
            "supports_negative_prompt": False,
            **({"supports_seed": False, "supports_upscale": False} if self._embedded.behaviour.video_seeds else {}),
            "max_reference_images": 0,
        }


class _Speech(_VoiceBackend):
    """Converts text to speech."""

    idle = frozenset({"release", "warm"})

    def stream(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(
            f"TTS provider {self.name!r} does not implement streaming synthesis. Use `synthesize`, or"
            " implement `stream`."
        )


class _Transcription(_ModelBackend):
    """Transcribes speech."""

    def streaming_capable(self) -> bool:
        return False

    def open_stream_session(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(f"{self.name} does not support live streaming transcription")


class _Search(_Backend):
    """Searches the web, reads pages, or both."""

    def is_keyless_available(self) -> bool:
        return False

    def supports_search(self) -> bool:
        return True

    def supports_extract(self) -> bool:
        return False

    def search(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(f"{self.name} does not support search (override supports_search)")

    def extract(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(f"{self.name} does not support extract (override supports_extract)")


class _Login(Defaults):
    """Authenticates users of the dashboard."""

    def complete_password_login(self, **_: Any) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__} does not support password login (set supports_password = True and override"
            " complete_password_login)"
        )

    def verify_token(self, **_: Any) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__} does not support token auth (set supports_token = True and override verify_token)"
        )


class _Memory(Defaults):
    """Stores memories across sessions."""

    idle = frozenset(
        {
            "on_delegation",
            "on_memory_write",
            "on_session_end",
            "on_session_switch",
            "on_turn_start",
            "queue_prefetch",
            "recall_status",
            "save_config",
            "shutdown",
            "sync_turn",
        }
    )

    def unavailable_reason(self) -> str:
        return ""

    def system_prompt_block(self) -> str:
        return ""

    def prefetch(self, **_: Any) -> str:
        return ""

    def handle_tool_call(self: Any, tool_name: str, **_: Any) -> NoReturn:
        raise NotImplementedError(f"Provider {self.name} does not handle tool {tool_name}")

    def on_pre_compress(self, **_: Any) -> str:
        return ""

    def identity_signature(self) -> dict[str, Any]:
        return {}

    def get_config_schema(self) -> list[dict[str, Any]]:
        return []

    def backup_paths(self) -> list[str]:
        return []


class _Engine(Defaults):
    """Keeps a conversation within the model's context."""

    idle = frozenset({"on_session_end", "on_session_start", "on_turn_complete", "select_context"})

    def should_compress_preflight(self, **_: Any) -> bool:
        return False

    def should_defer_preflight_to_real_usage(self, **_: Any) -> bool:
        return False

    def has_content_to_compress(self, **_: Any) -> bool:
        return True

    def on_session_reset(self: Any) -> None:
        self.last_prompt_tokens = self.last_completion_tokens = self.last_total_tokens = self.compression_count = 0

    def should_compress_info(self: Any, prompt_tokens: int | None) -> tuple[bool, None]:
        return self.should_compress(prompt_tokens), None

    def prune_tool_results_only(self, messages: list[Any], **_: Any) -> tuple[list[Any], int]:
        return messages, 0

    def get_automatic_compaction_status_message(self: Any, default_message: str, **_: Any) -> str | None:
        return default_message if self.emit_automatic_compaction_status else None

    def clone_for_agent(self) -> Any:
        return copy.deepcopy(self)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return []

    def handle_tool_call(self, name: str, **_: Any) -> str:
        return json.dumps({"error": f"Unknown context engine tool: {name}"})

    def get_status(self: Any) -> dict[str, Any]:
        # The count is negative right after a compression, until the provider reports usage.
        prompt = max(self.last_prompt_tokens, 0)
        return {
            "last_prompt_tokens": prompt,
            "threshold_tokens": self.threshold_tokens,
            "context_length": self.context_length,
            "usage_percent": min(100, prompt / self.context_length * 100) if self.context_length else 0,
            "compression_count": self.compression_count,
        }

    def update_model(self: Any, context_length: int, **_: Any) -> None:
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)


class _Item(Defaults):
    """Completion of a reference that a user is typing."""

    def __init__(self: Any, text: str, display: str, meta: str) -> None:
        self.text, self.display, self.meta = text, display or text, meta


class _Scheduler(Defaults):
    """Runs jobs when they are due; this host has no jobs."""

    idle = frozenset({"on_jobs_changed", "reconcile", "register_job", "stop"})

    def is_available(self) -> bool:
        return True

    def recover_interrupted(self) -> int:
        return 0

    def fire_due(self, **_: Any) -> bool:
        return False


class _Profile(Defaults):
    """A provider of models."""

    _embedded: HostState

    idle = frozenset(
        {
            "create_client",
            "default_reasoning_config",
            "default_vision_model",
            "discover_models",
            "fetch_account_usage",
            "get_model_context_length",
            "get_usage_cost",
            "setup_status",
            "supported_reasoning_efforts",
        }
    )

    def build_client_kwargs_extras(self, **_: Any) -> dict[str, Any]:
        return {}

    def resolve_aux_model(self, **_: Any) -> str:
        return ""

    def get_hostname(self: Any) -> str:
        from urllib.parse import urlsplit

        return self.hostname or (urlsplit(self.base_url).hostname if self.base_url else "") or ""

    def prepare_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return messages

    def build_extra_body(self, **_: Any) -> dict[str, Any]:
        return {}

    def build_api_kwargs_extras(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, {}

    def get_max_tokens(self: Any, **_: Any) -> int | None:
        limit: int | None = self.default_max_tokens
        return limit

    def fetch_models(
        self: Any, api_key: str | None = None, base_url: str | None = None, timeout: float = 8.0
    ) -> list[str] | None:
        base = base_url or self.base_url
        url = (getattr(self, "models_url", "") or "").strip() or (f"{base.rstrip('/')}/models" if base else "")
        if not url:
            return None
        headers = {"Accept": "application/json", "User-Agent": f"hermes-cli/{self._embedded.contract.release}"}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        return _fetch_models(url, {**headers, **self.default_headers}, timeout, self.name)


def _fetch_models(url: str, headers: dict[str, str], timeout: float, name: str) -> list[str] | None:
    from urllib.request import Request, urlopen

    try:
        with urlopen(Request(url, headers=headers), timeout=timeout) as response:
            data = json.loads(response.read())
        listed = data if isinstance(data, list) else data.get("data", [])
        return [model["id"] for model in listed if isinstance(model, dict) and "id" in model]
    except Exception as error:
        logging.getLogger("providers.base").debug("fetch_models(%s): %s", name, error)
        return None


def _first_id(listed: list[dict[str, Any]]) -> Any:
    return listed[0].get("id") if listed else None


_DEFAULTS: dict[str, type[Defaults]] = {
    "BrowserProvider": _Browser,
    "ContextCompletionItem": _Item,
    "ContextEngine": _Engine,
    "CronScheduler": _Scheduler,
    "DashboardAuthProvider": _Login,
    "FetchResult": FetchResult,
    "ImageGenProvider": _Images,
    "MemoryProvider": _Memory,
    "ProviderProfile": _Profile,
    "SecretSource": SecretSource,
    "TTSProvider": _Speech,
    "TranscriptionProvider": _Transcription,
    "VideoGenProvider": _Videos,
    "WebSearchProvider": _Search,
}


def provider_class(name: str, state: HostState) -> Any:
    """Return a base class of providers or a class of their values, or None if the release lacks it."""
    classes = Classes(state, state.classes)
    return classes.make(name, _DEFAULTS[name], _embedded=state) if name in _DEFAULTS else classes.make(name)
