"""Stands in for ``model_tools``; a plugin calls tools with ``ctx.dispatch_tool``."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "check_tool_availability",
    "get_all_tool_names",
    "get_tool_definitions",
    "get_toolset_for_tool",
    "handle_function_call",
]

check_tool_availability = refused(__spec__, "check_tool_availability")
get_all_tool_names = refused(__spec__, "get_all_tool_names")
get_tool_definitions = refused(__spec__, "get_tool_definitions")
get_toolset_for_tool = refused(__spec__, "get_toolset_for_tool")
handle_function_call = refused(__spec__, "handle_function_call")
