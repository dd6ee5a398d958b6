"""Automation blueprints that plugins register (statement N90)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")

_KEY = r"[a-z0-9][a-z0-9_-]{0,63}"
_TEXTS = ("title", "description", "category", "schedule_template", "prompt_template", "deliver_default")
_LISTS = ("skills", "tags")


class Blueprints(Store):
    """Blueprints of all plugins by qualified key; the embedded host does not schedule them."""

    entries: dict[str, dict[str, Any]]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state

    def register(self, plugin: PluginManifest, *, key: Any, **fields: Any) -> Entry | None:
        """Add a blueprint; ignore a malformed or duplicate one with a warning.

        Raises:
            NotSupported: The blueprint has slots or placeholders, whose rules are not modelled.
        """
        try:
            self._check(plugin, key, fields)
        except ValueError as error:
            logger.warning("Plugin '%s' automation blueprint %r rejected: %s", plugin.name, key, error)
            return None
        qualified = f"{plugin.name}:{key}"
        if qualified in self.entries:
            message = "Plugin '%s' automation blueprint %r is already registered"
            logger.warning(message, plugin.name, qualified)
            return None
        return Entry(qualified, self.put(qualified, fields))

    def _check(self, plugin: PluginManifest, key: Any, fields: Mapping[str, Any]) -> None:
        if not isinstance(key, str) or not re.fullmatch(_KEY, key):
            rule = f"use lowercase letters, digits, '-' or '_' (the '{plugin.name}:' namespace is added automatically)"
            raise ValueError(f"invalid key {key!r}: {rule}")
        slots = fields["slots"]
        if isinstance(slots, (str, Mapping)) or not isinstance(slots, Iterable):
            raise ValueError("slots must be a list")
        for name in _TEXTS:
            if not isinstance(fields[name], str) or not fields[name].strip():
                raise ValueError(f"{name} must be a non-empty string")
        if tuple(slots) or any("{" in fields[name] for name in ("schedule_template", "prompt_template")):
            raise self._state.unsupported("check the slots of a blueprint")
        for name in _LISTS:
            values = fields[name]
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise ValueError(f"{name} must be a list of strings")
            if not all(isinstance(one, str) and one.strip() for one in values):
                raise ValueError(f"{name} must be a list of non-empty strings")
