"""{{ cookiecutter.plugin_name }}, a model provider for Hermes Agent. Importing this module registers it."""

from __future__ import annotations

from typing import Any

from providers import register_provider
from providers.base import ProviderProfile


class Profile(ProviderProfile):
    """Describes the server; Hermes calls the methods for each request."""

    def prepare_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages of a request; this server rejects messages without text."""
        return [{**message, "content": message.get("content") or ""} for message in messages]

    def build_extra_body(self, *, session_id: str | None = None, **context: Any) -> dict[str, Any]:
        """Return additions to the body of a request."""
        return {"cache_key": session_id} if session_id else {}

    def build_api_kwargs_extras(
        self, *, reasoning_config: dict[str, Any] | None = None, **context: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return additions to the body and to the arguments of a request: the user's reasoning effort."""
        effort = (reasoning_config or {}).get("effort")
        return {}, {"reasoning_effort": effort} if effort else {}


register_provider(
    Profile(
        name="{{ cookiecutter.plugin_slug }}",
        display_name="{{ cookiecutter.plugin_name }}",
        description="A server with an OpenAI-compatible API",
        env_vars=("{{ cookiecutter.__package | upper }}_KEY",),
        base_url="http://127.0.0.1:8080/v1",
    )
)
