"""Writing down what the host gets from one plugin."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.embedded.loading.import_guard import Code, Gaps
from hermes_sdk.hosts.embedded.loading.loader import Plugin
from hermes_sdk.hosts.embedded.loading.manager import Sweep
from hermes_sdk.hosts.embedded.providers import memory
from hermes_sdk.hosts.interface.host import LogRecord
from hermes_sdk.hosts.interface.report import PROVIDER_CATEGORIES, Report

WARNINGS = ("WARNING", "ERROR", "CRITICAL")


def chosen(plugins: Mapping[Any, Plugin], key: str | None) -> Plugin:
    """The plugin with a key, or the only one there is.

    Raises:
        UsageError: No plugin has that key, or no key was given and there are several.
    """
    found = {str(name): plugin for name, plugin in plugins.items()}
    if key is None and len(found) == 1:
        return next(iter(found.values()))
    if key is None or key not in found:
        asked = f"The host found no plugin {key!r}." if key else "There is not exactly one plugin to report on."
        raise UsageError(asked, fix=f"There are: {', '.join(sorted(found)) or 'none'}.")
    return found[key]


def describe(plugin: Plugin, sweep: Sweep, home: Path, cwd: Path, log: Sequence[LogRecord]) -> Report:
    """Make the report of one plugin.

    Args:
        plugin: The record of the plugin.
        sweep: The discovery that found it.
        home: The HERMES_HOME; it is shown as ``$HERMES_HOME`` in texts.
        cwd: The working directory of the host, which the paths of project plugins are relative to.
        log: What was logged while the host discovered its plugins.
    """
    manifest = plugin.manifest
    owner = manifest.name
    # The memory loader runs plugin code, so it comes before what that code may fail to import is looked at.
    behaviour = sweep.contract.behaviour
    provider = None
    if manifest.kind == "exclusive" and manifest.source == "user":
        # The loader knows one folder of directories, and no folders in it.
        directory = home / "plugins" / Path(manifest.path or "").name
        provider = memory.provider_name(directory, behaviour, sweep.on_swallowed)
    gaps = sweep.guard.gaps(Code.of(manifest))
    gap = _gap(gaps, sweep.contract.release)
    engine = sweep.backends.engine_of(manifest.lookup_key)
    return Report(
        schema="hermes-sdk.show/1",
        host="embedded",
        release=sweep.contract.release,
        plugin={
            "key": str(manifest.lookup_key),
            "name": str(owner),
            "kind": manifest.kind,
            "source": manifest.source,
            "version": manifest.version,
            "path": _relative(manifest.path, home, cwd),
            "manifest": json.loads(json.dumps(plugin.raw, default=str)),
        },
        status="unsupported" if gap else plugin.status,
        error=gap or (_portable(plugin.error, home) if plugin.error is not None else None),
        tools=names(plugin.tools),
        hooks=names(plugin.hooks),
        middleware=names(plugin.middleware),
        commands=names(plugin.commands),
        cli_commands=names(name for name, one in sweep.cli_commands.by_name.items() if one.plugin == owner),
        skills=names(name for name, one in sweep.skills.by_name.items() if one.plugin == owner),
        platforms=names({one["name"] for key, one in sweep.recorded.platforms if key == manifest.lookup_key}),
        context_engine=None if engine is None else str(engine.name),
        memory_provider=provider,
        providers={
            category: names(sweep.backends.of(manifest.lookup_key, category)) for category in PROVIDER_CATEGORIES
        },
        model_providers=names(sweep.guard.lent.model_providers.of(Path(manifest.path or ""))),
        auxiliary_tasks=names(name for name, one in sweep.recorded.auxiliary_tasks.items() if one["plugin"] == owner),
        slack_action_handlers=names(
            action.pattern if isinstance(action, re.Pattern) else action
            for action, _, plugin_name in sweep.recorded.slack_action_handlers
            if plugin_name == owner
        ),
        gateway_hooks=[],
        missing_imports=names(gaps.missing),
        # Providers of models are imported before plugins are discovered.
        warnings=[_portable(one.message, home) for one in log if one.level in WARNINGS and one.logger != "providers"],
    )


def _gap(gaps: Gaps, release: str) -> str | None:
    """Say what keeps the embedded host from being a judge of this plugin, or nothing."""
    parts = []
    if gaps.refused:
        parts.append(f"imports host modules that the embedded host does not model: {_listed(gaps.refused)}")
    if gaps.unmodelled:
        parts.append(f"uses what the embedded host does not model: {_listed(gaps.unmodelled)}")
    if gaps.lacking:
        parts.append(
            f"needs packages that Hermes Agent {release} brings and that are missing here: {_listed(gaps.lacking)}"
        )
    return "; ".join(parts) or None


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _relative(path: str | None, *bases: Path) -> str:
    place = Path(path or "")
    base = next((one for one in bases if place.is_relative_to(one)), None)
    return (place.relative_to(base) if base else place).as_posix()


def _portable(text: str, home: Path) -> str:
    return text.replace(str(home), "$HERMES_HOME")


def names(values: Iterable[Any]) -> list[str]:
    """Sort names, which a careless plugin may have made something else than text."""
    return sorted(str(value) for value in values)
