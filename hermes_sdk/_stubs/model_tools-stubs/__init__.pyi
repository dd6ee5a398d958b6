"""Types of ``model_tools``."""

from hermes_sdk.hosts.embedded.standins.modules.model_tools import (
    check_tool_availability as check_tool_availability,
    get_all_tool_names as get_all_tool_names,
    get_tool_definitions as get_tool_definitions,
    get_toolset_for_tool as get_toolset_for_tool,
    handle_function_call as handle_function_call,
)
