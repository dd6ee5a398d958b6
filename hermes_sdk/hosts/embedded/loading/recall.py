"""Plugins that the host refuses to load whatever is enabled: withdrawn ones (N14) and those for Relay (N15)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState

logger = logging.getLogger("hermes_cli.plugins")

_RELAY = frozenset({"nemo_relay", "observability/nemo_relay"})


def warn_of_relay(state: HostState, enabled: Iterable[Any]) -> None:
    """Warn of plugins that are enabled although the host does their work itself."""
    listed = sorted(_RELAY.intersection(enabled))
    if state.behaviour.relay_plugins_refused and listed:
        logger.warning("%s", state.wording("plugin.relay_enabled", keys=", ".join(listed)))


def refuse_relay(state: HostState, manifest: PluginManifest) -> str | None:
    """Return why a plugin is refused whose work the host does itself, and log it; None for any other plugin."""
    if not state.behaviour.relay_plugins_refused or not {manifest.lookup_key, manifest.name} & _RELAY:
        return None
    error = state.wording("plugin.relay")
    logger.warning("Refusing to load removed Hermes Relay plugin '%s'; %s", manifest.lookup_key, error)
    return error


def list_withdrawn(state: HostState) -> list[Mapping[str, Any]]:
    """List what the home's copy of the catalogue says of withdrawn plugins, where the release refuses them."""
    if not state.behaviour.withdrawn_plugins_refused:
        return []
    listed = _read(state.home.path / "cache" / "plugin-catalog.json").get("removed")
    return [one for one in listed if isinstance(one, dict) and one.get("name")] if isinstance(listed, list) else []


def refuse_withdrawn(state: HostState, manifest: PluginManifest, withdrawn: list[Mapping[str, Any]]) -> str | None:
    """Return why a plugin is refused that the catalogue has withdrawn, and log it; None for any other plugin."""
    if not withdrawn or manifest.source == "bundled":
        return None
    reason = _find_reason(state.home.path, manifest, withdrawn)
    if reason is None:
        return None
    error = f"removed from the Hermes plugin catalog: {reason or 'no reason recorded'}"
    logger.warning("Refusing to load plugin '%s' — %s; run `hermes plugins remove`", manifest.lookup_key, error)
    return error


def _find_reason(home: Path, manifest: PluginManifest, withdrawn: list[Mapping[str, Any]]) -> str | None:
    """Look a plugin up among the withdrawn ones: by its name, its directory, and where it came from.

    A record of the installer may say that the user wants it all the same.
    """
    directory = Path(manifest.path or "")
    records = _read(home / "plugins" / ".install-metadata.json") if directory.parent == home / "plugins" else {}
    record = _mapping(records.get(directory.name))
    if record.get("allow_removed") is True:
        return None
    catalog, source = _mapping(record.get("catalog")), str(record.get("source") or "").partition("#")[0]
    candidates = [manifest.name, source, catalog.get("name"), catalog.get("repo"), directory.name]
    texts = [str(one).strip() for one in candidates if one]
    found = (one for text in texts for one in withdrawn if text in (str(one["name"]), str(one.get("repo") or "")))
    return next((str(one.get("reason") or "") for one in found), None)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        return _mapping(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
