"""Stands in for ``agent.browser_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["BrowserProvider"]

BrowserProvider = provider_class("BrowserProvider", find_plugin_manager(__spec__).state)
