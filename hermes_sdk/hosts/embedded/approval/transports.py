"""Approval transports of plugins (N87), apart from the approval gate, which their registration does not need."""

from __future__ import annotations

import logging
import re
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")


class ApprovalTransports(Store):
    """Approval transports by name, with the key of their plugin; using a transport is not modelled."""

    entries: dict[str, Any]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state

    def register(self, plugin: PluginManifest, *, name: Any, present_fn: Any) -> Entry:
        """Add a transport.

        Raises:
            ValueError: The name is not valid or already registered.
            TypeError: The function is not callable.
        """
        clean = str(name).strip().lower()
        if clean == "builtin":
            raise ValueError("approval transport name 'builtin' is reserved")
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", clean):
            raise ValueError("approval transport name must match [a-z0-9][a-z0-9_-]{0,63}")
        if not callable(present_fn):
            raise TypeError("approval transport present_fn must be callable")
        if clean in self.entries:
            raise ValueError(f"approval transport {clean!r} is already registered by {self.entries[clean]!r}")
        logger.info("Plugin %s registered approval transport: %s", plugin.lookup_key, clean)
        return Entry(clean, self.put(clean, plugin.lookup_key))

    def require_unselected(self) -> None:
        """Raise `NotSupported` if the configuration selects one of the transports."""
        security = self._state.config.read().get("security")
        approval = security.get("approval") if isinstance(security, dict) else None
        selected = approval.get("transport") if isinstance(approval, dict) else None
        if isinstance(selected, str) and selected.strip().lower() in self.entries:
            raise self._state.unsupported(f"ask for approvals through {selected.strip()}")
