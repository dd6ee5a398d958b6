"""Session variables that describe a chat to the code that runs for it."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

_FACTS = (
    "chat_id",
    "chat_type",
    "chat_name",
    "thread_id",
    "user_id",
    "user_id_alt",
    "user_name",
    "parent_chat_id",
    "scope_id",
    "profile",
    "message_id",
)


def describe_chat(state: HostState, source: Any, session_key: str) -> None:
    """Set the session variables of the current context to the chat of a message."""
    facts = {name: str(getattr(source, name, None) or "") for name in _FACTS}
    facts |= {"platform": source.platform.value, "session_key": session_key}
    state.session_variables.describe({**facts, "cron_session": ""})


def describe_session(state: HostState, facts: dict[str, Any]) -> list[Any]:
    """Set the session variables of the current context, as ``set_session_vars`` does.

    Raises:
        NotSupported: A variable changes the behaviour of the host.
    """
    for name in ("cwd", "async_delivery", "history_delivery"):
        if facts.pop(name, None):
            raise state.unsupported(f"follow `{name}` of set_session_vars")
    state.session_variables.describe({name: str(value or "") for name, value in facts.items()})
    return []
