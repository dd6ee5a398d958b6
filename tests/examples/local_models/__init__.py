"""A provider of models for a server on this machine that speaks the API of OpenAI."""

from __future__ import annotations

from typing import Any

from providers import register_provider
from providers.base import ProviderProfile


class LocalModels(ProviderProfile):
    def prepare_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**one, "content": one.get("content") or ""} for one in messages]

    def build_extra_body(self, *, session_id: str | None = None, **context: Any) -> dict[str, Any]:
        return {"cache_key": session_id} if session_id else {}

    def build_api_kwargs_extras(
        self, *, reasoning_config: dict[str, Any] | None = None, **context: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        effort = (reasoning_config or {}).get("effort")
        return {}, {"reasoning_effort": effort} if effort else {}


register_provider(
    LocalModels(
        name="local_models",
        aliases=("here",),
        display_name="This machine",
        env_vars=("LOCAL_MODELS_KEY",),
        base_url="http://127.0.0.1:8080/v1",
    )
)
