"""Who may load: ``plugins.enabled``, ``plugins.disabled``, grants, and the migration of old homes (section B)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.config import disabled_plugins, plugin_names
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.manifest import load_yaml, manifest_file

OPT_IN_SCHEMA = 21
EXCLUSIVE = "exclusive plugin — activate via <category>.provider config"


class Gate:
    """The decisions that one configuration leads to.

    Args:
        config: The parsed ``config.yaml``; ``{}`` when it is missing or cannot be read.
        behaviour: What the release does.
    """

    def __init__(self, config: Mapping[str, Any], behaviour: Behaviour) -> None:
        section = config.get("plugins")
        self._plugins: Mapping[str, Any] = section if isinstance(section, Mapping) else {}
        self._behaviour = behaviour
        self.enabled = plugin_names(self._plugins.get("enabled"))
        self.disabled = disabled_plugins(config)

    def refusal(self, manifest: PluginManifest) -> str | None:
        """Say why the plugin is not loaded, in the words that the host records, or None when it is."""
        if self._listed(manifest, self.disabled):
            return "disabled via config"
        if manifest.kind == "exclusive":
            return EXCLUSIVE
        if manifest.kind == "model-provider" or self._opted_in(manifest):
            return self._missing_environment(manifest)
        return f"not enabled in config (run `hermes plugins enable {manifest.lookup_key}` to activate)"

    def may_override(self, manifest: PluginManifest) -> bool:
        """Tell whether the operator lets this plugin replace built-in tools (C6). Any truthy value grants."""
        entries = self._plugins.get("entries") or {}
        entry = entries.get(manifest.lookup_key) or {}
        return bool(entry.get("allow_tool_override", False))

    def _opted_in(self, manifest: PluginManifest) -> bool:
        if manifest.source == "entrypoint" and self._behaviour.entry_points_always_enabled:
            return True
        return self._listed(manifest, self.enabled)

    @staticmethod
    def _listed(manifest: PluginManifest, names: frozenset[Any]) -> bool:
        return manifest.lookup_key in names or manifest.name in names

    def _missing_environment(self, manifest: PluginManifest) -> str | None:
        if not self._behaviour.requires_env_gates:
            return None
        listed = manifest.requires_env if isinstance(manifest.requires_env, list) else []
        wanted = [entry.get("name") if isinstance(entry, dict) else entry for entry in listed]
        missing = [name for name in wanted if isinstance(name, str) and not os.environ.get(name)]
        return f"Plugin {manifest.name} disabled (missing: {', '.join(missing)})" if missing else None


def grandfathered(config: Mapping[str, Any] | None, plugins: Path, behaviour: Behaviour) -> list[str] | None:
    """Tell which installed plugins a migration of an old home would enable (B12 to B14).

    Args:
        config: The parsed ``config.yaml``; None when there is no such file.
        plugins: The directory ``H/plugins``.
        behaviour: What the release does.

    Returns:
        Their names, sorted by directory; None when the host leaves the home alone, or fails over it. The list is
        empty when one manifest is not a mapping, because the host then gives up the whole scan.
    """
    section = (config or {}).get("plugins")
    section = section if isinstance(section, Mapping) else {}
    if config is None or _schema_version(config, behaviour) >= OPT_IN_SCHEMA or "enabled" in section:
        return None
    listed = section.get("disabled")
    try:
        disabled = set(listed) if isinstance(listed, list) else set()
    except TypeError:
        return None
    try:
        return [name for name in _installed(plugins) if name not in disabled]
    except (AttributeError, TypeError):
        return []


def _schema_version(config: Mapping[str, Any], behaviour: Behaviour) -> float:
    if behaviour.schema_version_from_file:
        try:
            return int(config.get("_config_version", 0))
        except (TypeError, ValueError):
            return 0
    # The default configuration fills in what is missing, and the host fails over what is no number.
    version = config.get("_config_version", OPT_IN_SCHEMA)
    return version if isinstance(version, (int, float)) else OPT_IN_SCHEMA


def _installed(plugins: Path) -> list[str]:
    names = []
    for child in sorted(plugins.iterdir()) if plugins.is_dir() else ():
        file = manifest_file(child)
        if file is not None:
            names.append(_manifest_name(file))
    return names


def _manifest_name(file: Path) -> str:
    import yaml

    try:
        raw = load_yaml(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        raw = {}
    name: str = raw.get("name") or file.parent.name
    return name
