"""Stands in for ``gateway.session_context``: variables of the current session."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.gateway.chat_variables import describe_session
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "clear_session_vars",
    "get_session_env",
    "reset_session_vars",
    "set_current_session_id",
    "set_session_vars",
]

_state = find_plugin_manager(__spec__).state
get_session_env = _state.session_variables.get
reset_session_vars = _state.session_variables.reset


def set_session_vars(**facts: Any) -> list[Any]:
    """Set the session variables of the current context."""
    return describe_session(_state, facts)


def clear_session_vars(tokens: list[Any]) -> None:  # noqa: ARG001
    """Set the session variables to empty strings."""
    _state.session_variables.empty()


def set_current_session_id(session_id: str) -> None:
    """Set the session ID in the context and in the process."""
    _state.session_variables.identify(session_id)
