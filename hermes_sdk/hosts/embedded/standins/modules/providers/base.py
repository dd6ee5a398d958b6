"""Stands in for ``providers.base``: what there is to know about a provider of models."""

from __future__ import annotations

import json
import logging
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.providers.model_providers import OMIT_TEMPERATURE
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["OMIT_TEMPERATURE", "ProviderProfile"]

_host = find_plugin_manager(__spec__)
_log = logging.getLogger(__name__)


class _Profile(Defaults):
    """A provider of models."""

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
        headers = {"Accept": "application/json", "User-Agent": f"hermes-cli/{_host.state.contract.release}"}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        return _models(url, {**headers, **self.default_headers}, timeout, self.name)


def _models(url: str, headers: dict[str, str], timeout: float, name: str) -> list[str] | None:
    from urllib.request import Request, urlopen

    try:
        with urlopen(Request(url, headers=headers), timeout=timeout) as response:
            data = json.loads(response.read())
        listed = data if isinstance(data, list) else data.get("data", [])
        return [model["id"] for model in listed if isinstance(model, dict) and "id" in model]
    except Exception as error:
        _log.debug("fetch_models(%s): %s", name, error)
        return None


ProviderProfile = Classes(_host.state, globals()).made("ProviderProfile", _Profile)
