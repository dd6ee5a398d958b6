"""Which session a message belongs to, and what is said of its thread when it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def session_key(source: Any, settings: Mapping[str, Any]) -> str:
    """The key of the session of a source: of the chat, or of one user in it.

    Args:
        source: Where a message comes from.
        settings: Says with ``group_sessions_per_user`` (default: True) and ``thread_sessions_per_user`` (False) whether
            users in one place have a session each.
    """
    key = ["agent", "main", source.platform.value, source.chat_type]
    participant = getattr(source, "user_id_alt", None) or source.user_id
    if source.chat_type == "dm":
        return ":".join([*key, *filter(None, [source.chat_id or participant, source.thread_id])])
    in_thread = source.thread_id and not settings.get("thread_sessions_per_user", False)
    alone = settings.get("group_sessions_per_user", True) and not in_thread
    return ":".join(
        [
            *key,
            *filter(None, [source.chat_id, source.thread_id]),
            *([str(participant)] if alone and participant else []),
        ]
    )


def is_shared(source: Any, settings: Mapping[str, Any]) -> bool:
    """Whether several users share the session of a source."""
    if source.chat_type == "dm":
        return False
    own = ("thread_sessions_per_user", False) if source.thread_id else ("group_sessions_per_user", True)
    return not settings.get(*own)


def thread_metadata(source: Any) -> dict[str, Any] | None:
    """What is said of the thread of a source, or None outside of threads."""
    return {"thread_id": source.thread_id} if source.thread_id is not None else None


def reply_anchor(event: Any) -> str | None:
    """The message that the answer to a message replies to."""
    anchor: str | None = event.message_id
    return anchor
