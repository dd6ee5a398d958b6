"""Types of ``tools.registry``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.registry import (
    ToolRegistry as ToolRegistry,
    registry as registry,
    tool_error as tool_error,
    tool_result as tool_result,
)
