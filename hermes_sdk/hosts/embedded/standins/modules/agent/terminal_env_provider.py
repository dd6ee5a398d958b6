"""Stands in for ``agent.terminal_env_provider``: places for commands, of which the host uses none."""

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["TerminalEnvironmentProvider"]

TerminalEnvironmentProvider = Classes(find_plugin_manager(__spec__).state, {}).make("TerminalEnvironmentProvider")
