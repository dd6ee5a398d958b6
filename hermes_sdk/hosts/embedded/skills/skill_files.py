"""The files of skills of the home, and those beside them (F5)."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_sdk.hosts.embedded.skills.skill_text import SUPPORT

NO_SKILLS = frozenset(
    {
        ".archive",
        ".git",
        ".github",
        ".hub",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Folders that the host does not search for skills."""
DEEP = ("templates", "assets")
OTHER_FILES = (".md", ".py", ".yaml", ".yml", ".json", ".tex", ".sh")


def find_skills(folder: Path) -> list[Path]:
    """Return the ``SKILL.md`` in a folder, sorted; those among the files that a skill links do not count."""
    found = []
    for root, names, files in os.walk(folder, followlinks=True):
        skipped = NO_SKILLS if "SKILL.md" not in files else {*NO_SKILLS, *SUPPORT}
        names[:] = [name for name in names if name not in skipped]
        if "SKILL.md" in files:
            found.append(f"{root}/SKILL.md")
    return [Path(path) for path in sorted(found)]


def list_files(directory: Path) -> dict[str, list[str]]:
    """Return the files of a skill by the folder that they are in, and those elsewhere as ``other``."""
    files: dict[str, list[str]] = {kind: [] for kind in (*SUPPORT, "other")}
    for path in directory.rglob("*"):
        inside = path.relative_to(directory)
        if not path.is_file() or path.name == "SKILL.md":
            continue
        if len(inside.parts) > 1 and inside.parts[0] in SUPPORT:
            files[inside.parts[0]].append(str(inside))
        elif path.suffix in OTHER_FILES:
            files["other"].append(str(inside))
    return {kind: names for kind, names in files.items() if names}


def list_linked_files(directory: Path) -> dict[str, list[str]]:
    """Return the files that a skill links, by the folder that they are in."""
    linked = {}
    for kind, patterns in SUPPORT.items():
        folder = directory / kind
        found = [
            str(path.relative_to(directory))
            for pattern in patterns
            for path in (folder.rglob(pattern) if kind in DEEP else folder.glob(pattern))
            if kind != "assets" or path.is_file()
        ]
        if found:
            linked[kind] = found
    return linked
