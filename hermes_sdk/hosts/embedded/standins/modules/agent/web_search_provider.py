"""Stands in for ``agent.web_search_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["WebSearchProvider", "get_provider_env"]

_state = find_plugin_manager(__spec__).state
WebSearchProvider = provider_class("WebSearchProvider", _state)
get_provider_env = _state.user_config.get_provider_env
