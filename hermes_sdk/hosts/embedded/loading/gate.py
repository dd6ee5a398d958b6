"""Rules for loading plugins: ``plugins.enabled``, ``plugins.disabled``, grants (section B), and withdrawn plugins."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.config import disabled_plugins, plugin_names
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState

EXCLUSIVE = "exclusive plugin — activate via <category>.provider config"
logger = logging.getLogger("hermes_cli.plugins")
_RELAY = frozenset({"nemo_relay", "observability/nemo_relay"})


class Gate:
    """Decisions based on one configuration; an unreadable file counts as ``{}``."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        section = config.get("plugins")
        self._plugins: Mapping[str, Any] = section if isinstance(section, Mapping) else {}
        self.enabled = plugin_names(self._plugins.get("enabled"))
        self.disabled = disabled_plugins(config)

    def find_refusal(self, manifest: PluginManifest) -> str | None:
        """Return why a plugin is not loaded, as Hermes records it, or None if it is loaded."""
        if self._is_listed(manifest, self.disabled):
            return "disabled via config"
        if manifest.kind == "exclusive":
            return EXCLUSIVE
        is_bundled = manifest.source == "bundled" and manifest.kind in ("backend", "platform")
        if manifest.kind == "model-provider" or is_bundled or self._is_listed(manifest, self.enabled):
            return None
        return f"not enabled in config (run `hermes plugins enable {manifest.lookup_key}` to activate)"

    def may_override(self, manifest: PluginManifest) -> bool:
        """Return whether a plugin may replace built-in tools: if it is bundled, or has a truthy setting (C6)."""
        if manifest.source == "bundled":
            return True
        entries = self._plugins.get("entries") or {}
        entry = entries.get(manifest.lookup_key) or {}
        return bool(entry.get("allow_tool_override", False))

    @property
    def isolation(self) -> str:
        """Return the isolation of plugins: ``in_process``, or ``host`` for a separate process (N29)."""
        setting = self._plugins.get("isolation", "in_process")
        mode = str(setting or "in_process").strip().lower().replace("-", "_")
        if mode in ("host", "in_process"):
            return mode
        message = "plugins.isolation=%r is not one of host, in_process; loading plugins in-process"
        logging.getLogger("hermes_cli.plugins").warning(message, setting)
        return "in_process"

    def read_settings(self, manifest: PluginManifest) -> Mapping[str, Any]:
        """Return the settings of a plugin: ``settings`` of its entry, otherwise ``config``."""
        entries = self._plugins.get("entries")
        entry = entries.get(manifest.lookup_key) if isinstance(entries, Mapping) else None
        if not isinstance(entry, Mapping):
            return {}
        found = (one for one in (entry.get("settings"), entry.get("config")) if isinstance(one, Mapping))
        return next(found, {})

    @staticmethod
    def _is_listed(manifest: PluginManifest, names: frozenset[Any]) -> bool:
        return manifest.lookup_key in names or manifest.name in names


def warn_of_relay(state: HostState, enabled: Iterable[Any]) -> None:
    """Warn about enabled plugins that Hermes itself replaces."""
    listed = sorted(_RELAY.intersection(enabled))
    if state.behaviour.relay_plugins_refused and listed:
        logger.warning("%s", state.wording("plugin.relay_enabled", keys=", ".join(listed)))


def refuse_relay(state: HostState, manifest: PluginManifest) -> str | None:
    """Return and log why a plugin is refused that Hermes itself replaces; return None for other plugins."""
    if not state.behaviour.relay_plugins_refused or not {manifest.lookup_key, manifest.name} & _RELAY:
        return None
    error = state.wording("plugin.relay")
    logger.warning("Refusing to load removed Hermes Relay plugin '%s'; %s", manifest.lookup_key, error)
    return error


def list_withdrawn(state: HostState) -> list[Mapping[str, Any]]:
    """Return the withdrawn plugins in the home's copy of the catalogue, if the release refuses them."""
    if not state.behaviour.withdrawn_plugins_refused:
        return []
    listed = _read(state.home.path / "cache" / "plugin-catalog.json").get("removed")
    return [one for one in listed if isinstance(one, dict) and one.get("name")] if isinstance(listed, list) else []


def refuse_withdrawn(state: HostState, manifest: PluginManifest, withdrawn: list[Mapping[str, Any]]) -> str | None:
    """Return and log why a withdrawn plugin is refused; return None for other plugins."""
    if not withdrawn or manifest.source == "bundled":
        return None
    reason = _find_reason(state.home.path, manifest, withdrawn)
    if reason is None:
        return None
    error = f"removed from the Hermes plugin catalog: {reason or 'no reason recorded'}"
    logger.warning("Refusing to load plugin '%s' — %s; run `hermes plugins remove`", manifest.lookup_key, error)
    return error


def _find_reason(home: Path, manifest: PluginManifest, withdrawn: list[Mapping[str, Any]]) -> str | None:
    """Find the reason for the withdrawal of a plugin by its name, its directory and its source.

    The installer's record may allow a withdrawn plugin.
    """
    directory = Path(manifest.path or "")
    records = _read(home / "plugins" / ".install-metadata.json") if directory.parent == home / "plugins" else {}
    record = _as_mapping(records.get(directory.name))
    if record.get("allow_removed") is True:
        return None
    catalog, source = _as_mapping(record.get("catalog")), str(record.get("source") or "").partition("#")[0]
    candidates = [manifest.name, source, catalog.get("name"), catalog.get("repo"), directory.name]
    texts = [str(one).strip() for one in candidates if one]
    found = (one for text in texts for one in withdrawn if text in (str(one["name"]), str(one.get("repo") or "")))
    return next((str(one.get("reason") or "") for one in found), None)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        return _as_mapping(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
