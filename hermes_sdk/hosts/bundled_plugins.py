"""Bundled plugins of Hermes Agent: modules of its package ``plugins``, which import each other by that name."""

from __future__ import annotations

from pathlib import Path


def find_bundled_name(directory: Path) -> str | None:
    """Return the module name of a plugin in the source tree of Hermes Agent; None for any other directory."""
    parts = directory.resolve().parts
    for depth in range(len(parts) - 1, 1, -1):
        if parts[depth - 1] == "plugins" and Path(*parts[: depth - 1], "hermes_cli", "plugins.py").is_file():
            return ".".join(parts[depth - 1 :])
    return None
