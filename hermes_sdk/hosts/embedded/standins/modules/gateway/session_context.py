"""Stands in for ``gateway.session_context``: what code can ask about the session that it runs in."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "clear_session_vars",
    "get_session_env",
    "reset_session_vars",
    "set_current_session_id",
    "set_session_vars",
]

_state = find_plugin_manager(__spec__).state
_variables = _state.session_variables


def get_session_env(name: str, default: str = "") -> str:
    """Return a variable of the session, or else of the process."""
    return _variables.get(name, default)


def set_session_vars(**facts: Any) -> list[Any]:
    """Describe a session to the current context."""
    for name in ("cwd", "async_delivery", "history_delivery"):
        if facts.pop(name, None):
            raise _state.unsupported(f"follow `{name}` of set_session_vars")
    _variables.describe({name: str(value or "") for name, value in facts.items()})
    return []


def clear_session_vars(tokens: list[Any]) -> None:  # noqa: ARG001
    """Make the description of the session empty."""
    _variables.empty()


def reset_session_vars() -> None:
    """Take the description of the session away."""
    _variables.reset()


def set_current_session_id(session_id: str) -> None:
    """Set the id of the session for the context and for the process."""
    _variables.identify(session_id)
