"""Stands in for ``tools.registry``: the registry of tools, and results of handlers."""

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.tools.facade import ToolRegistry
from hermes_sdk.hosts.embedded.tools.results import tool_error, tool_result

__all__ = ["ToolRegistry", "registry", "tool_error", "tool_result"]

registry = find_plugin_manager(__spec__).registrations.tool_facade
globals()["ToolRegistry"] = type(registry)
