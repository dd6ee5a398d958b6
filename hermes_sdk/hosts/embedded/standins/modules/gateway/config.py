"""Stands in for ``gateway.config``: platforms and their settings."""

from hermes_sdk.hosts.embedded.gateway.classes import GatewayClasses
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "ChannelOverride",
    "HomeChannel",
    "Platform",
    "PlatformConfig",
]

_classes = GatewayClasses.of(find_plugin_manager(__spec__))
ChannelOverride = _classes.ChannelOverride
HomeChannel = _classes.HomeChannel
Platform = _classes.Platform
PlatformConfig = _classes.PlatformConfig
