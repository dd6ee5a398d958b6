"""Stands in for ``gateway.platform_registry``: the platforms of plugins."""

from hermes_sdk.hosts.embedded.gateway.platform_registry import make_registry
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["PlatformEntry", "PlatformRegistry", "platform_registry"]

_plugins = find_plugin_manager(__spec__)
platform_registry = make_registry(_plugins.state, _plugins.registrations.platforms)
PlatformEntry = _plugins.state.classes["PlatformEntry"]
PlatformRegistry = type(platform_registry)
