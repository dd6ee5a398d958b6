"""``ctx.inject_message``: a message of a plugin for a session of the running gateway (F15, N40, N41)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("hermes_cli.plugins")


class MessageInjection:
    """Injects messages of one plugin. Nobody chats with this host at a terminal, so that only a gateway takes them."""

    def __init__(self, state: HostState, plugin: str) -> None:
        self._state = state
        self._plugin = plugin

    def inject(self, text: str, target: Mapping[str, Any]) -> bool:
        """Return whether the gateway took a message.

        `target` has the key ``session_key`` in releases whose gateway takes messages, and ``origin`` in those that
        open a session for one.
        """
        if problem := self._find_problem(target):
            _log.warning("inject_message: %s", problem)
            return False
        take = self._state.take_message
        return take is not None and take(self._plugin, text, target["session_key"] or None, target.get("origin"))

    def _find_problem(self, target: Mapping[str, Any]) -> str:
        if "session_key" not in target:
            return "no CLI reference (not available in gateway mode)"
        origin = target.get("origin")
        if target["session_key"] and origin is not None:
            return "pass session_key or origin, not both"
        if not target["session_key"] and origin is None:
            return f"gateway mode requires an existing session_key{' or an origin' if 'origin' in target else ''}"
        if origin is not None and not isinstance(origin, Mapping):
            return "origin must be a mapping in the SessionSource.to_dict() shape"
        if not self._is_granted():
            return (
                f"gateway injection denied for plugin {self._plugin}; set"
                f" plugins.entries.{self._plugin}.allow_gateway_injection: true to allow it"
            )
        return "" if self._state.take_message is not None else "no live gateway is available"

    def _is_granted(self) -> bool:
        entry: Any = self._state.config.read()
        for key in ("plugins", "entries", self._plugin):
            entry = entry.get(key) if isinstance(entry, Mapping) else None
        return isinstance(entry, Mapping) and entry.get("allow_gateway_injection") is True
