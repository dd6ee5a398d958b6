"""Which plugins may load: ``plugins.enabled``, ``plugins.disabled`` and grants (section B)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.config import disabled_plugins, plugin_names
from hermes_sdk.hosts.embedded.plugin import PluginManifest

EXCLUSIVE = "exclusive plugin — activate via <category>.provider config"


class Gate:
    """The decisions that follow from one configuration; an unreadable file counts as ``{}``."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        section = config.get("plugins")
        self._plugins: Mapping[str, Any] = section if isinstance(section, Mapping) else {}
        self.enabled = plugin_names(self._plugins.get("enabled"))
        self.disabled = disabled_plugins(config)

    def refusal(self, manifest: PluginManifest) -> str | None:
        """Return why the plugin is not loaded, in the words that the host records, or None when it is."""
        if self._is_listed(manifest, self.disabled):
            return "disabled via config"
        if manifest.kind == "exclusive":
            return EXCLUSIVE
        if manifest.kind == "model-provider" or self._opted_in(manifest):
            return None
        return f"not enabled in config (run `hermes plugins enable {manifest.lookup_key}` to activate)"

    def may_override(self, manifest: PluginManifest) -> bool:
        """Tell whether this plugin may replace built-in tools: the host's own may, others by any truthy value (C6)."""
        if manifest.source == "bundled":
            return True
        entries = self._plugins.get("entries") or {}
        entry = entries.get(manifest.lookup_key) or {}
        return bool(entry.get("allow_tool_override", False))

    @property
    def isolation(self) -> str:
        """How plugins are kept apart from the host: ``in_process``, or ``host`` for a process of their own (N29)."""
        setting = self._plugins.get("isolation", "in_process")
        mode = str(setting or "in_process").strip().lower().replace("-", "_")
        if mode in ("host", "in_process"):
            return mode
        told = "plugins.isolation=%r is not one of host, in_process; loading plugins in-process"
        logging.getLogger("hermes_cli.plugins").warning(told, setting)
        return "in_process"

    def settings(self, manifest: PluginManifest) -> Mapping[str, Any]:
        """Return the settings of a plugin: ``settings`` of its entry, else ``config``."""
        entries = self._plugins.get("entries")
        entry = entries.get(manifest.lookup_key) if isinstance(entries, Mapping) else None
        if not isinstance(entry, Mapping):
            return {}
        found = (one for one in (entry.get("settings"), entry.get("config")) if isinstance(one, Mapping))
        return next(found, {})

    def _opted_in(self, manifest: PluginManifest) -> bool:
        if manifest.source == "bundled" and manifest.kind in ("backend", "platform"):
            return True
        return self._is_listed(manifest, self.enabled)

    @staticmethod
    def _is_listed(manifest: PluginManifest, names: frozenset[Any]) -> bool:
        return manifest.lookup_key in names or manifest.name in names
