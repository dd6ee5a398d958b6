"""Session keys of a gateway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def session_key(source: Any, settings: Mapping[str, Any]) -> str:
    """Return the session key of a source, for a whole chat or for one user in it.

    The settings ``group_sessions_per_user`` (default: True) and ``thread_sessions_per_user`` (False) decide.
    """
    key = ["agent", "main", source.platform.value, source.chat_type]
    participant = getattr(source, "user_id_alt", None) or source.user_id
    if source.chat_type == "dm":
        return ":".join([*key, *filter(None, [source.chat_id or participant, source.thread_id])])
    # The thread that the adapter will create for the message, on releases with this field.
    prospective = None if source.thread_id else getattr(source, "prospective_thread_id", None)
    thread = source.thread_id or prospective
    if prospective:
        key[-1] = "thread"
    in_thread = thread and not settings.get("thread_sessions_per_user", False)
    is_alone = settings.get("group_sessions_per_user", True) and not in_thread
    user = [str(participant)] if is_alone and participant else []
    return ":".join([*key, *filter(None, [source.chat_id, thread]), *user])


def build_session_key(
    source: Any, group_sessions_per_user: bool = True, thread_sessions_per_user: bool = False, **_: Any
) -> str:
    """Return the session key of a message's source."""
    settings = {"group_sessions_per_user": group_sessions_per_user}
    return session_key(source, {**settings, "thread_sessions_per_user": thread_sessions_per_user})
