"""Stands in for ``gateway.session``: where a message comes from."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hermes_sdk.hosts.embedded.gateway.sessions import session_key
from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["SessionSource", "build_session_key"]

_OPTIONAL = ("user_id_alt", "chat_id_alt", "parent_chat_id", "message_id", "profile")
_FLAGS = ("auto_thread_created", "auto_thread_initial_name")
_ALWAYS = ("chat_id", "chat_name", "chat_type", "user_id", "user_name", "thread_id", "chat_topic")
_Platform = import_module("gateway.config").Platform


def build_session_key(
    source: Any, group_sessions_per_user: bool = True, thread_sessions_per_user: bool = False, **_: Any
) -> str:
    """Return the key of the session that a message belongs to."""
    settings = {"group_sessions_per_user": group_sessions_per_user}
    return session_key(source, {**settings, "thread_sessions_per_user": thread_sessions_per_user})


class _Source(Defaults):
    """Where a message comes from."""

    def __post_init__(self: Any) -> None:
        # Two names of one thing; the newer one counts.
        if hasattr(self, "scope_id"):
            self.scope_id = self.guild_id = self.guild_id if self.scope_id is None else self.scope_id

    def description(self: Any) -> str:
        if self.platform.value == "local":
            return "CLI terminal"
        place = self.chat_name or self.chat_id
        whom = self.user_name or self.user_id or "user"
        told = {"dm": f"DM with {whom}", "group": f"group: {place}", "channel": f"channel: {place}"}
        thread = [f"thread: {self.thread_id}"] if self.thread_id else []
        return ", ".join([str(told.get(self.chat_type, place)), *thread])

    @staticmethod
    def from_dict(kind: Any, data: dict[str, Any]) -> Any:
        known = {name: value for name, value in data.items() if name in kind.__dataclass_fields__}
        return kind(**{**known, "platform": _Platform(data["platform"]), "chat_id": str(data["chat_id"])})

    def to_dict(self: Any) -> dict[str, Any]:
        shown = {"platform": self.platform.value, **{name: getattr(self, name) for name in _ALWAYS}}
        shown |= {name: getattr(self, name) for name in _OPTIONAL if getattr(self, name, None)}
        if scope := getattr(self, "scope_id", getattr(self, "guild_id", None)):
            shown |= {name: scope for name in ("scope_id", "guild_id") if hasattr(self, name)}
        return shown | {name: getattr(self, name) for name in _FLAGS if getattr(self, name, None)}


SessionSource = Classes(find_plugin_manager(__spec__).state, globals()).made("SessionSource", _Source)
