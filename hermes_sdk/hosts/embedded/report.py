"""Report of the contributions of one plugin to the host."""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

from hermes_sdk.contract import grade
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.embedded.loading.manager import PluginManager
from hermes_sdk.hosts.embedded.loading.plugin_imports import HOST_DEPENDENCIES, Code, Gaps
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.providers import memory, memory_sources
from hermes_sdk.hosts.interface import PROVIDER_CATEGORIES, Report

WARNINGS = ("WARNING", "ERROR", "CRITICAL")


def choose(manager: PluginManager, key: str | None) -> Plugin:
    """Return the plugin with a key, or the only plugin; a key may name a memory provider of an entry point.

    Raises:
        UsageError: No plugin has the key, or there is no key and not exactly one plugin.
    """
    found = {str(name): plugin for name, plugin in manager.plugins.items()}
    if key is None and len(found) == 1:
        return next(iter(found.values()))
    provider = memory_sources.find_installed(key, manager.state) if key and key not in found else None
    if provider and provider.dist:
        facts = {"kind": "exclusive", "version": provider.dist.version, "path": provider.value, "key": provider.name}
        return Plugin(PluginManifest(name=provider.name, source="entrypoint", **facts), {})
    if key is None or key not in found:
        asked = f"The host has no plugin {key!r}." if key else "The host does not have exactly one plugin."
        raise UsageError(asked, fix=f"Pass one of: {', '.join(sorted(found)) or 'none'}.")
    return found[key]


def describe(plugin: Plugin, plugins: PluginManager) -> Report:
    """Create the report of one plugin."""
    manifest, state = plugin.manifest, plugins.state
    home = state.home.path
    # The memory loader runs plugin code, so call it before reading the list of failed imports.
    provider = None
    if manifest.kind == "exclusive" and manifest.source == "user":
        # The loader does not search nested directories.
        directory = home / "plugins" / Path(manifest.path or "").name
        with plugins.imports.loading():
            provider = memory.read_provider_name(directory, state, plugins.make_provider_context)
    elif manifest.lookup_key not in plugins.plugins:
        with plugins.imports.loading():
            provider = memory.read_installed_provider_name(manifest.name, state, plugins.make_provider_context)
    gaps = plugins.imports.find_gaps(Code.of(manifest))
    gap = _explain_gap(gaps, plugin.refused, state.contract.release)
    names = plugins.registrations.names(plugin)
    return Report(
        schema="hermes-sdk.show/1",
        host="embedded",
        release=state.contract.release,
        grade=grade(state.contract.release),
        plugin={
            "key": str(manifest.lookup_key),
            "name": str(manifest.name),
            "kind": manifest.kind,
            "source": manifest.source,
            "version": manifest.version,
            "path": _format_path(manifest.path, home, state.cwd),
            "manifest": json.loads(json.dumps(plugin.raw, default=str)),
        },
        status="unsupported" if gap else plugin.status,
        error=gap or (_hide_home(plugin.error, home) if plugin.error is not None else None),
        tools=names["tools"],
        hooks=names["hooks"],
        middleware=names["middleware"],
        commands=names["commands"],
        cli_commands=names["cli_commands"],
        skills=names["skills"] or _list_portable_skills(plugin, plugins),
        mcp_servers=names["mcp_servers"],
        platforms=names["platforms"],
        context_engine=next(iter(names["context_engine"]), None),
        memory_provider=provider,
        providers={category: names[category] for category in PROVIDER_CATEGORIES},
        model_providers=names["model_providers"],
        auxiliary_tasks=names["auxiliary_tasks"],
        slack_action_handlers=names["slack_action_handlers"],
        gateway_hooks=[],
        missing_imports=sort_names(gaps.missing),
        # Omit warnings about model providers, which are imported before plugins are discovered.
        warnings=[
            _hide_home(one.message, home) for one in plugins.log if one.level in WARNINGS and one.logger != "providers"
        ],
    )


def _explain_gap(gaps: Gaps, refused: Set[str], release: str) -> str | None:
    """Return why the embedded host does not support a plugin, or None."""
    parts = []
    if gaps.refused:
        parts.append(f"imports host modules that the embedded host does not model: {_join_names(gaps.refused)}")
    if gaps.unmodelled:
        parts.append(f"uses what the embedded host does not model: {_join_names(gaps.unmodelled)}")
    if refused:
        parts.append(f"does while it loads what the embedded host does not model: {_join_names(refused)}")
    if gaps.lacking:
        parts.append(
            f"needs packages that Hermes Agent {release} brings and that are missing here: {_join_names(gaps.lacking)}"
            f". {HOST_DEPENDENCIES}"
        )
    return "; ".join(parts) or None


def _join_names(names: Set[str]) -> str:
    return ", ".join(sorted(names))


def _format_path(path: str | None, *bases: Path) -> str:
    place = Path(path or "")
    base = next((one for one in bases if place.is_relative_to(one)), None)
    return (place.relative_to(base) if base else place).as_posix()


def _list_portable_skills(plugin: Plugin, plugins: PluginManager) -> list[str]:
    """List the skills of a portable plugin, which has its own namespace."""
    namespace = getattr(plugin.manifest, "skill_namespace", "")
    skills = map(str, plugins.registrations.stores["skills"].entries)
    return sorted(name for name in skills if namespace and name.startswith(f"{namespace}:"))


def _hide_home(text: str, home: Path) -> str:
    return text.replace(str(home), "$HERMES_HOME")


def sort_names(values: Iterable[Any]) -> list[str]:
    """Convert names to text, since a plugin may have registered other values, and sort them."""
    return sorted(str(value) for value in values)
