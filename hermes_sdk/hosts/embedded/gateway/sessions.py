"""Sessions of a gateway: their assignment to chats, and their expiry."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.gateway.session_keys import session_key
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig, ResetPolicy
from hermes_sdk.hosts.embedded.host_classes import of_module

_log = logging.getLogger("gateway.run")

_EXPIRING = ("idle", "daily", "both")
_RESTORES_EXPIRY = "hermes-session-reset-policy"
"""Plugin that restores session expiry on releases without it."""


@dataclass
class SessionEntry:
    """A session; `session_key` is the key of its chat, and `origin` the source of its first message."""

    session_key: str
    session_id: str
    origin: Any
    updated_at: datetime = field(default_factory=datetime.now)
    created_at: datetime = field(default_factory=datetime.now)
    is_new: bool = True
    """Whether no message has arrived yet."""
    reset_reason: str | None = None
    """Why the previous session expired, or None."""
    reset_had_activity: bool = False
    """Whether the previous session had any turns."""
    turns: int = 0


@of_module("gateway.session")
class SessionStore:
    """The current session of each chat; `created` counts all sessions so far."""

    def __init__(self, config: GatewayConfig) -> None:
        self._config = config
        self._entries: dict[str, SessionEntry] = {}
        self.created = 0

    def key(self, source: Any) -> str:
        """Return the session key of a source."""
        return session_key(source, self._config.sessions_per_user)

    def is_shared(self, source: Any) -> bool:
        """Return whether several users share the session of a source."""
        if source.chat_type == "dm":
            return False
        setting = "thread_sessions_per_user" if source.thread_id else "group_sessions_per_user"
        return not self._config.sessions_per_user[setting]

    def get_or_create_session(self, source: Any) -> SessionEntry:
        """Return the session of a source; create a session if there is none or the last one expired."""
        key = self.key(source)
        entry = self._entries.get(key)
        reason = find_expiry(entry.updated_at, self._config.default_reset_policy) if entry else None
        if entry is None or reason:
            fresh = self._create(key, source)
            if entry:
                fresh.reset_reason, fresh.reset_had_activity = reason, entry.turns > 0
            return fresh
        entry.updated_at = datetime.now()
        return entry

    def reset_session(self, key: str) -> SessionEntry | None:
        """Replace the session of a chat with a new one; return None if the chat has none."""
        entry = self._entries.get(key)
        return self._create(key, entry.origin) if entry else None

    def current(self, key: str) -> SessionEntry | None:
        """Return the session of a chat, or None."""
        return self._entries.get(key)

    def _create(self, key: str, origin: Any) -> SessionEntry:
        self.created += 1
        session_id = f"{time.strftime('%Y%m%d_%H%M%S')}_{uuid.uuid4().hex[:8]}"
        self._entries[key] = entry = SessionEntry(key, session_id, origin)
        return entry


def warn_of_retired_expiry(config: Mapping[str, Any], home: Path) -> None:
    """Log a warning if the configuration sets session expiry, which now requires a plugin."""
    if _RESTORES_EXPIRY in _list_enabled_plugins(config) and (home / "plugins" / _RESTORES_EXPIRY).is_dir():
        return
    for section, path, advice in (
        (config, "session_reset", ""),
        (config.get("gateway"), "gateway.session_reset", " (move the block to top-level session_reset first)"),
    ):
        block = section.get("session_reset") if isinstance(section, Mapping) else None
        mode = str(block.get("mode") or "").strip().lower() if isinstance(block, Mapping) else ""
        if mode in _EXPIRING:
            _log.warning(
                "Profile default: %s.mode: %s is no longer applied: gateway conversations reset only on /new or /reset."
                " To keep idle/daily resets, run `hermes plugins install %s`%s.",
                path,
                mode,
                _RESTORES_EXPIRY,
                advice,
            )
            return


def _list_enabled_plugins(config: Mapping[str, Any]) -> Sequence[Any]:
    section = config.get("plugins")
    enabled = section.get("enabled") if isinstance(section, Mapping) else None
    return enabled if isinstance(enabled, list) else []


def find_expiry(updated_at: datetime, policy: ResetPolicy) -> str | None:
    """Return why a session has expired, or None if it has not."""
    now = datetime.now()
    if policy.mode in ("idle", "both") and now > updated_at + timedelta(minutes=policy.idle_minutes):
        return "idle"
    if policy.mode in ("daily", "both"):
        today = now.replace(hour=policy.at_hour, minute=0, second=0, microsecond=0)
        if updated_at < (today if now >= today else today - timedelta(days=1)):
            return "daily"
    return None
