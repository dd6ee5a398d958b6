"""The sessions of a gateway: one for each chat at a time, until somebody or the clock ends it."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hermes_sdk.hosts.embedded.gateway.session_keys import session_key
from hermes_sdk.hosts.embedded.gateway.settings import GatewayConfig, ResetPolicy
from hermes_sdk.hosts.embedded.host_classes import of_module


@dataclass
class SessionEntry:
    """What the gateway knows of a session.

    Attributes:
        session_key: The chat that it belongs to.
        session_id: Its id.
        origin: Where its first message came from.
        updated_at: When something happened in it last.
        is_new: Whether its first message is still to come.
        reset_reason: Why the one before it ended by itself, or None.
        reset_had_activity: Whether the one before it had any turns.
        turns: How many turns it has had.
    """

    session_key: str
    session_id: str
    origin: Any
    updated_at: datetime = field(default_factory=datetime.now)
    is_new: bool = True
    reset_reason: str | None = None
    reset_had_activity: bool = False
    turns: int = 0


@of_module("gateway.session")
class SessionStore:
    """The current session of each chat.

    Args:
        config: What the gateway is told.

    Attributes:
        made: How many sessions there have been.
    """

    def __init__(self, config: GatewayConfig) -> None:
        self._config = config
        self._entries: dict[str, SessionEntry] = {}
        self.made = 0

    def key(self, source: Any) -> str:
        """The key of the session of a source."""
        return session_key(source, self._config.sessions_per_user)

    def get_or_create_session(self, source: Any) -> SessionEntry:
        """The session of a source; a new one where there is none, or where its time is over."""
        key = self.key(source)
        entry = self._entries.get(key)
        reason = ended(entry.updated_at, self._config.default_reset_policy) if entry else None
        if entry is None or reason:
            fresh = self._new(key, source)
            if entry:
                fresh.reset_reason, fresh.reset_had_activity = reason, entry.turns > 0
            return fresh
        entry.updated_at = datetime.now()
        return entry

    def reset_session(self, key: str) -> SessionEntry | None:
        """Begin a new session in a chat; None where there is none to end."""
        entry = self._entries.get(key)
        return self._new(key, entry.origin) if entry else None

    def current(self, key: str) -> SessionEntry | None:
        """The session of a chat, or None."""
        return self._entries.get(key)

    def _new(self, key: str, origin: Any) -> SessionEntry:
        self.made += 1
        self._entries[key] = entry = SessionEntry(key, _new_id(), origin)
        return entry


def ended(updated: datetime, policy: ResetPolicy) -> str | None:
    """Why a session is over in which something happened last at some time, or None."""
    now = datetime.now()
    if policy.mode in ("idle", "both") and now > updated + timedelta(minutes=policy.idle_minutes):
        return "idle"
    if policy.mode in ("daily", "both"):
        today = now.replace(hour=policy.at_hour, minute=0, second=0, microsecond=0)
        if updated < (today if now >= today else today - timedelta(days=1)):
            return "daily"
    return None


def _new_id() -> str:
    return f"{time.strftime('%Y%m%d_%H%M%S')}_{uuid.uuid4().hex[:8]}"
