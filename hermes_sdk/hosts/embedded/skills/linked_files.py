"""The files beside a skill of the home (F5)."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.hosts.embedded.skills.skill_text import SUPPORT

DEEP = ("templates", "assets")
OTHER_FILES = (".md", ".py", ".yaml", ".yml", ".json", ".tex", ".sh")


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
