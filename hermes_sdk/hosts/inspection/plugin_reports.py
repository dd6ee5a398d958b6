"""Report about the plugin of an inspection, and the exception with which it failed to load."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.contract import grade
from hermes_sdk.documents import read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.exception_hints import suggest_fix
from hermes_sdk.hosts.interface import PROVIDER_CATEGORIES, Failure, Host, HostKind, Place, Report
from hermes_sdk.hosts.staging.staged_home import SITE
from hermes_sdk.manifest import MEMORY_GROUP
from hermes_sdk.manifest.forms import HOOK_MANIFEST
from hermes_sdk.manifest.load import choose_reader, load_yaml, reading_errors


def describe_failure(host: Host, report: Report) -> Failure | None:
    """Describe the exception with which a plugin failed to load; None if it loaded or failed without an exception."""
    where = f"plugin {report['plugin']['name']}"
    swallowed = sorted(host.swallowed, key=lambda one: one.where != where)
    if report["status"] != "failed" or not swallowed:
        return None
    return {
        "error": swallowed[0].error.removesuffix(": ").replace(str(host.home), "$HERMES_HOME"),
        "fix": suggest_fix(swallowed[0].traceback, contract.load_closest(host.release)),
        "place": _find_place(host, swallowed[0].traceback),
    }


def _find_place(host: Host, traceback: str) -> Place | None:
    """Return the innermost line of the plugin in a traceback."""
    lines = re.findall(rf'File "{re.escape(str(host.home))}/([^"]+)", line (\d+)', traceback)
    for name, line in reversed(lines):
        if file := _find_source(host.home, Path(name)):
            return {"file": file, "line": int(line)}
    return None


def _find_source(home: Path, file: Path) -> str | None:
    """Return a file relative to the plugin's directory, or the absolute path of a linked file of a package."""
    if file.parts[0] == SITE:
        return os.path.realpath(home / file)
    return Path(*file.parts[2:]).as_posix() if file.parts[0] in ("plugins", "hooks") and len(file.parts) > 2 else None


_NO_HANDLER = "the gateway silently skips it: it has no handler.py"


def report_plugin(host: Host, key: str) -> Report:
    """Return the report about a plugin, even if the host has none because it cannot read the manifest.

    An event hook has no plugin manager, so its report is based on the output of the gateway at its start.
    """
    if key and (host.home / "hooks" / key).is_dir():
        return _report_event_hook(host, _empty_report(host.kind, host.release, key, []))
    try:
        return host.report(key)
    except UsageError:
        texts = [one.message for one in host.log if one.level == "WARNING"]
        warnings = [text.replace(str(host.home), "$HERMES_HOME") for text in texts]
        empty = _empty_report(host.kind, host.release, key, warnings)
        if not (host.home / SITE / key).is_dir():
            return empty
        error = f"Hermes {host.release} does not read the group {MEMORY_GROUP} of entry points"
        return {**empty, "plugin": {**empty["plugin"], "source": "entrypoint"}, "error": error}


def _empty_report(kind: HostKind, release: str, key: str, warnings: list[str]) -> Report:
    """Create the report of a plugin with an unreadable manifest, for which the host only logs a warning (A21)."""
    return Report(
        schema="hermes-sdk.show/1",
        host=kind,
        release=release,
        grade=grade(release),
        plugin={"key": key, "name": key, "kind": "", "source": "user", "version": "", "path": "", "manifest": {}},
        status="failed",
        error=next((text for text in warnings if text.startswith("Failed to parse")), None),
        tools=[],
        hooks=[],
        middleware=[],
        commands=[],
        cli_commands=[],
        skills=[],
        mcp_servers=[],
        platforms=[],
        context_engine=None,
        memory_provider=None,
        providers={category: [] for category in PROVIDER_CATEGORIES},
        model_providers=[],
        auxiliary_tasks=[],
        slack_action_handlers=[],
        gateway_hooks=[],
        missing_imports=[],
        warnings=warnings,
    )


def _report_event_hook(host: Host, empty: Report) -> Report:
    """Start and stop the gateway, and complete the report of the home's only event hook."""
    gateway = host.gateway()
    gateway.stop()
    fields = _load_fields(host.home / "hooks" / empty["plugin"]["key"] / HOOK_MANIFEST, host.release)
    printed = [line.removeprefix("[hooks] ") for line in gateway.printed]
    loaded = any(line.startswith("Loaded hook ") for line in printed)
    missing = [re.search(r"No module named '([^']+)'", one.error) for one in host.swallowed]
    facts = {"name": str(fields.get("name", empty["plugin"]["key"])), "kind": "gateway-hook", "manifest": fields}
    return {
        **empty,
        "plugin": {**empty["plugin"], **facts},  # type: ignore[typeddict-item]
        "status": "loaded" if loaded else "failed",
        "error": None if loaded else "\n".join(printed) or _NO_HANDLER,
        "gateway_hooks": sorted(map(str, fields["events"])) if loaded else [],
        "missing_imports": sorted({found[1] for found in missing if found}),
        "warnings": [],
    }


def _load_fields(file: Path, release: str) -> dict[str, Any]:
    """Load the fields of a manifest; return an empty mapping if it is not a mapping or not valid YAML."""
    try:
        value = load_yaml(read_text(file), choose_reader(contract.load(release).behaviour, in_python=True))
    except reading_errors():
        return {}
    return value if isinstance(value, dict) else {}
