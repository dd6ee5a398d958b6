"""Auxiliary tasks that plugins register, each with its own model settings (statement F18)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")

DEFAULTS: dict[str, Any] = {
    "provider": "auto",
    "model": "",
    "base_url": "",
    "api_key": "",
    "timeout": 60,
    "extra_body": {},
}


class AuxiliaryTasks(Store):
    """Auxiliary tasks by key."""

    entries: dict[str, dict[str, Any]]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._builtin = state.contract.auxiliary_tasks
        self._unpacks = state.behaviour.task_defaults_unpacked
        self._config = state.config
        self._owned_by_key = state.behaviour.auxiliary_tasks_owned_by_key

    def names(self, plugin: Plugin) -> list[str]:
        """List the keys of a plugin's tasks; on earlier releases, of all plugins with its name."""
        return [key for key, one in self.entries.items() if one["plugin"] == self._owner_id(plugin.manifest)]

    def owner(self, key: str) -> Any:
        """Return the plugin that registered a task, or None if the task is built in or unknown."""
        return self.entries[key]["plugin"] if key in self.entries else None

    def settings(self, key: str) -> dict[str, Any]:
        """Return the user's settings for a task, with the plugin's defaults for missing settings."""
        section = self._config.read().get("auxiliary")
        configured = section.get(key) if isinstance(section, dict) else None
        defaults = self.entries[key]["defaults"] if key in self.entries else {}
        return {**defaults, **(configured if isinstance(configured, dict) else {})}

    def _owner_id(self, plugin: PluginManifest) -> Any:
        return plugin.lookup_key if self._owned_by_key else plugin.name

    def register(
        self,
        plugin: PluginManifest,
        *,
        key: Any,
        display_name: str,
        description: str,
        defaults: Mapping[str, Any] | None,
        inherit_from: Any = None,
    ) -> Entry:
        """Register a task.

        Raises:
            ValueError: The key is empty, contains characters other than letters, digits and underscores, or is in use.
            AttributeError: The defaults are not a mapping (a TypeError on later releases).
        """
        name = plugin.name
        if not key or not isinstance(key, str):
            raise ValueError(f"Plugin '{name}' tried to register auxiliary task with invalid key {key!r}")
        if not all(character.isalnum() or character == "_" for character in key):
            rule = "must contain only alphanumeric characters and underscores"
            raise ValueError(f"Plugin '{name}' auxiliary task key {key!r} {rule}")
        problem = f"Plugin '{name}' cannot register auxiliary task {key!r} — "
        if key in self._builtin:
            advice = f"Pick a plugin-namespaced key (e.g. '{name}_{key}')."
            raise ValueError(f"{problem}that key is reserved for a built-in task. {advice}")
        owner_id = self._owner_id(plugin)
        owner = self.entries.get(key, {}).get("plugin", owner_id)
        if owner != owner_id:
            raise ValueError(f"{problem}already registered by plugin '{owner}'")
        base = inherit_from if inherit_from != key and inherit_from in (*self._builtin, *self.entries) else None
        if base != inherit_from:
            message = "Plugin '%s' auxiliary task %r: ignoring inherit_from=%r — %s"
            why = "not a built-in auxiliary task or one already registered by a plugin"
            logger.warning(message, name, key, inherit_from, why)
        merged = {} if base else dict(DEFAULTS)
        if self._unpacks and not base:
            merged = {**merged, **(defaults or {})}
        else:
            # Call `items`, as Hermes does, so that values other than mappings raise AttributeError.
            merged.update((defaults or {}).items())
        task = {"display_name": display_name, "description": description, "defaults": merged, "plugin": owner_id}
        return Entry(key, self.put(key, task))
