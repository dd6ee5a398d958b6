"""Types of ``tools.approval``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.approval import (
    _get_approval_mode as _get_approval_mode,
    check_all_command_guards as check_all_command_guards,
    check_dangerous_command as check_dangerous_command,
    detect_dangerous_command as detect_dangerous_command,
    is_approval_bypass_active as is_approval_bypass_active,
    request_tool_approval as request_tool_approval,
)

def resolve_gateway_approval(
    session_key: str, choice: str, resolve_all: bool = False, reason: str | None = None, request_id: str | None = None
) -> int: ...
