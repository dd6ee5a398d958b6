"""Stands in for ``model_tools``: defines tools of plugins; a plugin calls tools with ``ctx.dispatch_tool``."""

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused
from hermes_sdk.hosts.embedded.tools.offered import OfferedTools

__all__ = [
    "check_tool_availability",
    "get_all_tool_names",
    "get_tool_definitions",
    "get_toolset_for_tool",
    "handle_function_call",
]

_manager = find_plugin_manager(__spec__)
check_tool_availability = refused(__spec__, "check_tool_availability")
get_all_tool_names = refused(__spec__, "get_all_tool_names")
get_tool_definitions = OfferedTools(_manager.state, _manager.registrations.tools).get_tool_definitions
get_toolset_for_tool = refused(__spec__, "get_toolset_for_tool")
handle_function_call = refused(__spec__, "handle_function_call")
