"""Stands in for ``model_tools``: definitions of plugins' tools. Plugins call tools with ``ctx.dispatch_tool``."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.tools.tool_definitions import OfferedTools

__all__ = [
    "check_tool_availability",
    "get_all_tool_names",
    "get_tool_definitions",
    "get_toolset_for_tool",
    "handle_function_call",
]

_manager = find_plugin_manager(__spec__)
check_tool_availability = make_placeholder(__spec__, "check_tool_availability")
get_all_tool_names = make_placeholder(__spec__, "get_all_tool_names")
get_tool_definitions = OfferedTools(_manager.state, _manager.registrations.tools).get_tool_definitions
get_toolset_for_tool = make_placeholder(__spec__, "get_toolset_for_tool")
handle_function_call = make_placeholder(__spec__, "handle_function_call")
