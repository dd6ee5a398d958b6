"""Stands in for ``agent.browser_provider``."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.providers.backend_defaults import Backend
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["BrowserProvider"]


class _Browser(Backend):
    """Runs browsers in the cloud."""

    def is_configured(self: Any) -> Any:
        return self.is_available()

    def provider_name(self: Any) -> Any:
        return self.display_name


BrowserProvider = Classes(find_plugin_manager(__spec__).state, globals()).made("BrowserProvider", _Browser)
