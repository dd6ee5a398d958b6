"""Shell hooks of a project: a sample configuration that lists them, and their scripts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.documents import read_text

CONFIGURATIONS = ("config.yaml", "config.yaml.example", "config.example.yaml")
"""Names of files in which a project shows the content for its users' ``config.yaml``."""


def find_configuration(root: Path) -> Path | None:
    """Return the file at the root of a project that lists shell hooks, or None."""
    return next((root / name for name in CONFIGURATIONS if _has_hooks(root / name)), None)


def is_script(path: Path) -> bool:
    """Return whether a file starts with ``#!``."""
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _has_hooks(file: Path) -> bool:
    if not file.is_file():
        return False
    from hermes_sdk.manifest.load import load_yaml, reading_errors

    try:
        content: Any = load_yaml(read_text(file, root=file.parent))
    except reading_errors():
        return False
    return isinstance(content, Mapping) and isinstance(content.get("hooks"), Mapping)
