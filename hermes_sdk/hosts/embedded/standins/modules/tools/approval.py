"""Stands in for ``tools.approval``: how a person approves what is dangerous; a plugin has ``pre_tool_call`` for it."""

from __future__ import annotations

from functools import partial

from hermes_sdk.hosts.embedded.approval.gate import read_mode
from hermes_sdk.hosts.embedded.approval.prompts import resolve
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

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
check_all_command_guards = refused(__spec__, "check_all_command_guards")
check_dangerous_command = refused(__spec__, "check_dangerous_command")
detect_dangerous_command = refused(__spec__, "detect_dangerous_command")
is_approval_bypass_active = refused(__spec__, "is_approval_bypass_active")
request_tool_approval = refused(__spec__, "request_tool_approval")
resolve_gateway_approval = partial(resolve, _state)


def _get_approval_mode() -> str:
    return read_mode(_state.config.read())
