"""Gateway event hooks: directories with a ``HOOK.yaml``, which a gateway loads from its home without asking anybody."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import Host, Report
from hermes_sdk.manifest.project import HOOK_MANIFEST

_NO_HANDLER = "the gateway passes over it in silence: it has no handler.py"


def stage_hook(directory: Path, home: Home, *, link: bool = False) -> str:
    """Put an event hook to where the gateway of a home looks for it, and return the name of its directory there.

    Args:
        directory: The directory with the ``HOOK.yaml``.
        home: The home.
        link: Put a symbolic link to the directory there, instead of a copy.
    """
    name = directory.resolve().name
    target = home.path / "hooks" / name
    if link:
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(directory.resolve(), target_is_directory=True)
    else:
        shutil.copytree(directory, target, ignore=shutil.ignore_patterns("__pycache__", ".git"))
    return name


def hook_report(host: Host, empty: Report) -> Report:
    """What a gateway makes of the only event hook in its home.

    Args:
        host: The host; its gateway is started and stopped.
        empty: A report that names the directory and tells nothing.
    """
    gateway = host.gateway()
    gateway.stop()
    fields = _fields(host.home / "hooks" / empty["plugin"]["key"] / HOOK_MANIFEST)
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


def _fields(file: Path) -> dict[str, Any]:
    """The fields of a manifest; none when it is not a mapping or no YAML."""
    import yaml

    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
