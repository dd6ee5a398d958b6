"""Plugins that Hermes Agent brings in its own package ``plugins``, from which they import each other."""

from __future__ import annotations

from pathlib import Path


def find_bundled_name(directory: Path) -> str | None:
    """Return the dotted name of a plugin that lies in a tree of Hermes Agent; None for any other directory."""
    parts = directory.resolve().parts
    for depth in range(len(parts) - 1, 1, -1):
        if parts[depth - 1] == "plugins" and Path(*parts[: depth - 1], "hermes_cli", "plugins.py").is_file():
            return ".".join(parts[depth - 1 :])
    return None
