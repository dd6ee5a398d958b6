"""Types of ``providers.base``."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

OMIT_TEMPERATURE: object

@dataclass
class ProviderProfile:
    """Description of a model provider; subclasses customise its requests."""

    name: str
    api_mode: str = "chat_completions"
    aliases: tuple[str, ...] = ()
    display_name: str = ""
    description: str = ""
    signup_url: str = ""
    hidden: bool = False
    env_vars: tuple[str, ...] = ()
    base_url: str = ""
    models_url: str = ""
    auth_type: str = "api_key"
    supports_health_check: bool = True
    supports_model_listing: bool = True
    auth_handler: Callable[[str, Any], Any] | None = None
    refresh_credential: Callable[[Any], Any] | None = None
    classify_api_error: Callable[..., Any] | None = None
    supports_vision: bool = False
    supports_vision_tool_messages: bool = True
    supports_prompt_cache_key: bool = False
    native_reasoning_details_type: str | None = None
    process_command: str = ""
    process_args: tuple[str, ...] = ()
    process_command_env_vars: tuple[str, ...] = ()
    process_args_env_var: str = ""
    fallback_models: tuple[str, ...] = ()
    model_aliases: dict[str, str] = field(default_factory=dict)
    hostname: str = ""
    default_headers: dict[str, str] = field(default_factory=dict)
    fixed_temperature: Any = None
    default_max_tokens: int | None = None
    unsupported_response_formats: tuple[str, ...] = ()
    default_aux_model: str = ""
    model_capabilities: dict[str, dict[str, Any]] = field(default_factory=dict)

    def fetch_account_usage(self, *, base_url: str | None = None, api_key: str | None = None) -> Any | None: ...
    def resolve_aux_model(self, *, vision: bool = False) -> str: ...
    def get_hostname(self) -> str: ...
    def prepare_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]: ...
    def build_extra_body(self, *, session_id: str | None = None, **context: Any) -> dict[str, Any]: ...
    def default_reasoning_config(self, model: str | None = None) -> dict[str, Any] | None: ...
    def build_api_kwargs_extras(
        self, *, reasoning_config: dict[str, Any] | None = None, **context: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]: ...
    def build_client_kwargs_extras(self, **context: Any) -> dict[str, Any]: ...
    def default_vision_model(self) -> str | None: ...
    def get_model_context_length(self, model: str) -> int | None: ...
    def get_usage_cost(self, model: str, usage: Any) -> Any | None: ...
    def get_max_tokens(self, model: str | None) -> int | None: ...
    def supported_reasoning_efforts(self, model: str | None) -> tuple[str, ...] | None: ...
    def listed(self) -> bool: ...
    def create_client(self, **client_kwargs: Any) -> Any | None: ...
    def setup_status(self, **kwargs: Any) -> dict[str, Any] | None: ...
    def discover_models(self, **kwargs: Any) -> list[dict[str, Any]] | None: ...
    def fetch_models(
        self, *, api_key: str | None = None, base_url: str | None = None, timeout: float = 8.0
    ) -> list[str] | None: ...
