"""Skill files of the home, their supporting files, and copies of skills (F5)."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

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
"""Directories in which Hermes does not search for skills."""
DEEP = ("templates", "assets")
OTHER_FILES = (".md", ".py", ".yaml", ".yml", ".json", ".tex", ".sh")


def find_skills(folder: Path) -> list[Path]:
    """Return the ``SKILL.md`` files in a directory, sorted, without those among a skill's supporting files."""
    found = []
    for root, names, files in os.walk(folder, followlinks=True):
        skipped = NO_SKILLS if "SKILL.md" not in files else {*NO_SKILLS, *SUPPORT}
        names[:] = [name for name in names if name not in skipped]
        if "SKILL.md" in files:
            found.append(f"{root}/SKILL.md")
    return [Path(path) for path in sorted(found)]


def list_files(directory: Path) -> dict[str, list[str]]:
    """Return the files of a skill by directory, with files in other places as ``other``."""
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
    """Return the linked files of a skill by directory."""
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


class Copy(NamedTuple):
    """A skill file in a directory of skills; directories of a lower tier take precedence."""

    name: str
    tier: int
    root: Path
    path: Path

    @property
    def relative_name(self) -> str:
        """The path that identifies this copy."""
        own = self.path.parent if self.path.name == "SKILL.md" else self.path.with_suffix("")
        return own.relative_to(self.root).as_posix()

    @property
    def rank(self) -> tuple[bool, int]:
        """The rank among identical copies in a directory of skills."""
        return self.path.name != "SKILL.md", len(self.path.relative_to(self.root).parts)


def pick_copy(copies: Sequence[Copy]) -> tuple[Copy | None, list[Copy]]:
    """Return the copy with precedence, or None if it is ambiguous, and all copies of its tier."""
    tier = min(copy.tier for copy in copies)
    rivals = [copy for copy in copies if copy.tier == tier]
    if len(rivals) == 1:
        return rivals[0], rivals
    if len({copy.root for copy in rivals}) == 1 and _are_identical(rivals):
        first, second, *_ = sorted(rivals, key=lambda copy: copy.rank)
        if first.rank != second.rank:
            return first, rivals
    return None, rivals


def have_conflicts(copies: Iterable[Copy]) -> bool:
    """Return whether two copies can be loaded under the same name."""
    names = [alias for copy in copies for alias in _list_aliases(copy)]
    return len({*names}) < len(names)


def choose_load_names(copies: Sequence[Copy]) -> dict[Copy, str]:
    """Return the name under which each copy is loaded, without copies that are hidden by others."""
    owners: dict[str, list[Copy]] = defaultdict(list)
    for copy in copies:
        for alias in _list_aliases(copy):
            owners[alias].append(copy)
    winners = {alias: pick_copy(rivals)[0] for alias, rivals in owners.items()}
    names: dict[Copy, str] = {}
    for copy in copies:
        winner = winners[copy.name]
        if winner is copy:
            names[copy] = copy.name
        is_ambiguous = winner is None and min(rival.tier for rival in owners[copy.name]) == copy.tier
        if is_ambiguous and winners[copy.relative_name] is copy:
            names[copy] = copy.relative_name
    return names


def find_hidden(copies: Sequence[Copy]) -> list[Copy]:
    """Return the copies that are hidden by a different skill with the same name in a lower tier."""
    hidden = []
    for copy in copies:
        earlier = [one for one in copies if copy.name in _list_aliases(one) and one.tier < copy.tier]
        if earlier and not any(_are_identical([copy, one]) for one in earlier):
            hidden.append(copy)
    return hidden


def _list_aliases(copy: Copy) -> set[str]:
    return {copy.name, copy.path.parent.name, copy.relative_name}


def _are_identical(copies: Sequence[Copy]) -> bool:
    try:
        return len({copy.path.read_bytes() for copy in copies}) == 1
    except OSError:
        return False
