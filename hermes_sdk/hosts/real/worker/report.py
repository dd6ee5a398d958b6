"""Reports about plugins with the schema ``hermes-sdk.show/1``, based on the host's own records."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .observer import PROVIDER_REGISTRIES, Observed


def report(
    key: str, loaded: Any, manager: Any, observed: Observed | None, memory_provider: str | None
) -> dict[str, Any]:
    """Return the report, without ``host``, ``release``, ``grade`` and the texts of the log.

    `loaded` is the host's record of the plugin; `observed` is None if its code did not run.
    """
    manifest = loaded.manifest
    name = manifest.name
    seen = observed or Observed()
    engine = seen.context_engine
    return {
        "schema": "hermes-sdk.show/1",
        "plugin": {
            "key": key,
            "name": str(manifest.name),
            "kind": manifest.kind,
            "source": manifest.source,
            "version": str(manifest.version),
            "path": str(manifest.path),
            "manifest": manifest_mapping(manifest),
        },
        "status": _status(loaded, observed),
        "error": loaded.error,
        "tools": _names(loaded.tools_registered),
        "hooks": _names(loaded.hooks_registered),
        "middleware": _names(getattr(loaded, "middleware_registered", ())),
        "commands": _names(loaded.commands_registered),
        "cli_commands": _list_owned(manager, "_cli_commands", name),
        "skills": _list_owned(manager, "_plugin_skills", name, getattr(manifest, "skill_namespace", name)),
        "mcp_servers": _list_mcp_servers(manager, key, manifest),
        "platforms": _names(seen.added.get("platform", ())),
        "context_engine": None if engine is None else str(engine.name),
        "memory_provider": memory_provider,
        "providers": {category: _names(seen.added.get(category, ())) for category in PROVIDER_REGISTRIES},
        "model_providers": _names(seen.added.get("model_provider", ())),
        "auxiliary_tasks": _list_owned(manager, "_aux_tasks", name, key),
        "slack_action_handlers": _slack_actions(manager, name),
        "gateway_hooks": [],
        "missing_imports": _names(seen.missing),
    }


def manifest_mapping(manifest: Any) -> dict[str, Any]:
    """Return the manifest as the host's YAML reader parses it; empty for an entry point."""
    if manifest.source == "entrypoint":
        return {}
    for name in ("plugin.yaml", "plugin.yml"):
        path = Path(manifest.path, name)
        if path.exists():
            found = _read_yaml(path.read_text(encoding="utf-8-sig"))
            return json.loads(json.dumps(found, default=str)) if isinstance(found, dict) else {}
    return {}


def _read_yaml(text: str) -> Any:
    """Parse YAML as the host parses manifests: since 0.18 with its own function."""
    read = getattr(importlib.import_module("utils"), "fast_safe_load", None)
    return read(text) if read else importlib.import_module("yaml").safe_load(text)


def _status(loaded: Any, observed: Observed | None) -> str:
    if getattr(loaded, "deferred", False):
        return "deferred"
    if observed is None or loaded.manifest.kind in ("exclusive", "model-provider"):
        return "skipped"
    if str(loaded.error).startswith("requires hermes "):
        return "skipped"
    return "loaded" if loaded.enabled else "failed"


def _names(names: Iterable[Any]) -> list[str]:
    return sorted(map(str, names))


def _list_owned(manager: Any, attribute: str, *owners: str) -> list[str]:
    """List the entries that belong to a plugin by its name, or by its key, which some hosts use instead."""
    entries = getattr(manager, attribute, {})
    return _names(name for name, entry in entries.items() if entry.get("plugin") in owners)


def _list_mcp_servers(manager: Any, key: str, manifest: Any) -> list[str]:
    """List the MCP servers of a portable plugin; on some releases, only their names identify the plugin."""
    servers = getattr(manager, "_portable_mcp_servers", {})
    owners = getattr(manager, "_portable_mcp_server_plugins", None)
    if owners is not None:
        return _names(name for name in servers if owners.get(name) == key)
    return _names(name for name in servers if name.startswith(f"{manifest.skill_namespace}__"))


def _slack_actions(manager: Any, plugin: str) -> list[str]:
    matchers = [matcher for matcher, _, owner in getattr(manager, "_slack_action_handlers", ()) if owner == plugin]
    return _names(matcher.pattern if isinstance(matcher, re.Pattern) else matcher for matcher in matchers)
