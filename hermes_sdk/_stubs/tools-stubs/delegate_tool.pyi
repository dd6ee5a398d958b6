"""Types of ``tools.delegate_tool``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.delegate_tool import (
    _build_child_agent as _build_child_agent,
    _build_dynamic_schema_overrides as _build_dynamic_schema_overrides,
    delegate_task as delegate_task,
    tool_error as tool_error,
)
