"""Stands in for ``agent.terminal_env_provider``: environments for commands, which the embedded host does not use."""

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["TerminalEnvironmentProvider"]

TerminalEnvironmentProvider = Classes(find_plugin_manager(__spec__).state, {}).make("TerminalEnvironmentProvider")
