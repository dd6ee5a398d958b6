"""Stands in for ``tools.delegate_tool``: starting subagents. Calls are not supported.

The import registers two built-in tools, before the first use of any tool registers all of them.
"""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.tools.results import tool_error

__all__ = ["_build_child_agent", "_build_dynamic_schema_overrides", "delegate_task", "tool_error"]

_build_child_agent = make_placeholder(__spec__, "_build_child_agent")
_build_dynamic_schema_overrides = make_placeholder(__spec__, "_build_dynamic_schema_overrides")
delegate_task = make_placeholder(__spec__, "delegate_task")

find_plugin_manager(__spec__).registrations.tools.register_builtins("terminal", "delegate_task")
