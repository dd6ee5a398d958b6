"""Types of ``providers.base``."""

from dataclasses import dataclass, field
from typing import Any

OMIT_TEMPERATURE: object

@dataclass
class ProviderProfile:
    """What there is to know about a provider of models; a subclass changes how it is asked."""

    name: str
    api_mode: str = "chat_completions"
    aliases: tuple[str, ...] = ()
    display_name: str = ""
    description: str = ""
    signup_url: str = ""
    env_vars: tuple[str, ...] = ()
    base_url: str = ""
    models_url: str = ""
    auth_type: str = "api_key"
    supports_health_check: bool = True
    supports_vision: bool = False
    supports_vision_tool_messages: bool = True
    fallback_models: tuple[str, ...] = ()
    hostname: str = ""
    default_headers: dict[str, str] = field(default_factory=dict)
    fixed_temperature: Any = None
    default_max_tokens: int | None = None
    default_aux_model: str = ""

    def get_hostname(self) -> str: ...
    def prepare_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]: ...
    def build_extra_body(self, *, session_id: str | None = None, **context: Any) -> dict[str, Any]: ...
    def build_api_kwargs_extras(
        self, *, reasoning_config: dict[str, Any] | None = None, **context: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]: ...
    def default_vision_model(self) -> str | None: ...
    def get_max_tokens(self, model: str | None) -> int | None: ...
    def fetch_models(
        self, *, api_key: str | None = None, base_url: str | None = None, timeout: float = 8.0
    ) -> list[str] | None: ...
