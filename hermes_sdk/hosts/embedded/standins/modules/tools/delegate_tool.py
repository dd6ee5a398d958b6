"""Stands in for ``tools.delegate_tool``, which starts further agents; a call of its functions is refused.

Its import registers two tools of the host, before the first use of any tool registers them all.
"""

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused
from hermes_sdk.hosts.embedded.tools.results import tool_error

__all__ = ["_build_child_agent", "_build_dynamic_schema_overrides", "delegate_task", "tool_error"]

_build_child_agent = refused(__spec__, "_build_child_agent")
_build_dynamic_schema_overrides = refused(__spec__, "_build_dynamic_schema_overrides")
delegate_task = refused(__spec__, "delegate_task")

find_plugin_manager(__spec__).registrations.tools.register_builtins("terminal", "delegate_task")
