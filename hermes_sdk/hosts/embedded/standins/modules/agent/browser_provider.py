"""Stands in for ``agent.browser_provider``."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.standins.backends import Backend
from hermes_sdk.hosts.embedded.standins.lent import lent

__all__ = ["BrowserProvider"]


class _Browser(Backend):
    """Runs browsers in the cloud."""

    def is_configured(self: Any) -> Any:
        return self.is_available()

    def provider_name(self: Any) -> Any:
        return self.display_name


BrowserProvider = Classes(lent(__spec__).contract, globals()).made("BrowserProvider", _Browser)
