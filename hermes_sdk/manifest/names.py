"""Plugin directory names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hermes_sdk.documents import read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.load import load_yaml


def installer_name(directory: Path, fallback: str = "") -> str:
    """Return the name under `plugins/` that ``hermes plugins install`` gives a plugin (statements J6 and J16).

    It is the `name` in `plugin.yaml` (the installer does not read `plugin.yml`), else the name of the directory.

    Args:
        directory: The directory of the plugin.
        fallback: The name if the manifest has none. Default: the name of the directory.

    Raises:
        UsageError: The installer would reject the name.
    """
    manifest = directory / "plugin.yaml"
    name = _read_declared_name(manifest) or fallback or Path(os.path.normpath(directory.absolute())).name
    fix = "Use only lowercase letters, digits, '-' and '_'."
    if not isinstance(name, str):
        raise UsageError(f"name is {name!r}, which is not text", where=str(manifest), fix=f"Write name: '{name}'.")
    if name == ".":
        raise UsageError("Invalid plugin name '.': must not reference the plugins directory itself.", fix=fix)
    for bad in ("/", "\\", ".."):
        if bad in name:
            raise UsageError(f"Invalid plugin name '{name}': must not contain '{bad}'.", where=str(manifest), fix=fix)
    return name


def _read_declared_name(manifest: Path) -> Any:
    if not manifest.is_file():
        return None
    try:
        value = load_yaml(read_text(manifest))
    except Exception:  # The installer falls back to the name of the directory, whatever is wrong with the file.
        return None
    return value.get("name") if isinstance(value, dict) else None
