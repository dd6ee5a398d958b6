"""Stands in for ``agent.context_engine``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["ContextEngine"]

ContextEngine = provider_class("ContextEngine", find_plugin_manager(__spec__).state)
