"""Stands in for ``tools.approval``: approval of dangerous commands, for which plugins use ``pre_tool_call``."""

from __future__ import annotations

from functools import partial

from hermes_sdk.hosts.embedded.approval.gate import read_mode
from hermes_sdk.hosts.embedded.approval.prompts import resolve
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "_get_approval_mode",
    "check_all_command_guards",
    "check_dangerous_command",
    "detect_dangerous_command",
    "is_approval_bypass_active",
    "request_tool_approval",
    "resolve_gateway_approval",
]

_state = find_plugin_manager(__spec__).state
check_all_command_guards = make_placeholder(__spec__, "check_all_command_guards")
check_dangerous_command = make_placeholder(__spec__, "check_dangerous_command")
detect_dangerous_command = make_placeholder(__spec__, "detect_dangerous_command")
is_approval_bypass_active = make_placeholder(__spec__, "is_approval_bypass_active")
request_tool_approval = make_placeholder(__spec__, "request_tool_approval")
resolve_gateway_approval = partial(resolve, _state)


def _get_approval_mode() -> str:
    return read_mode(_state.config.read())
