"""Stands in for ``gateway.session``: the origin of messages."""

from hermes_sdk.hosts.embedded.gateway.classes import GatewayClasses
from hermes_sdk.hosts.embedded.gateway.session_keys import build_session_key
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["SessionSource", "build_session_key"]

SessionSource = GatewayClasses.of(find_plugin_manager(__spec__)).SessionSource
