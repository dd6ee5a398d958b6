"""Skills of the same name: which copy counts, and under which name the others are loaded (F5, since 0.22.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Copy(NamedTuple):
    """A file with a skill, in a folder of skills; folders of a lower tier come first."""

    name: str
    tier: int
    root: Path
    path: Path

    @property
    def relative_name(self) -> str:
        """The path under which only this copy is loaded."""
        own = self.path.parent if self.path.name == "SKILL.md" else self.path.with_suffix("")
        return own.relative_to(self.root).as_posix()

    @property
    def rank(self) -> tuple[bool, int]:
        """The place among identical copies in a folder of skills."""
        return self.path.name != "SKILL.md", len(self.path.relative_to(self.root).parts)


def pick_copy(copies: Sequence[Copy]) -> tuple[Copy | None, list[Copy]]:
    """Return the copy that counts, None if that is open, and all of its tier."""
    tier = min(copy.tier for copy in copies)
    rivals = [copy for copy in copies if copy.tier == tier]
    if len(rivals) == 1:
        return rivals[0], rivals
    if len({copy.root for copy in rivals}) == 1 and _are_identical(rivals):
        first, second, *_ = sorted(rivals, key=lambda copy: copy.rank)
        if first.rank != second.rank:
            return first, rivals
    return None, rivals


def choose_load_names(copies: Sequence[Copy]) -> dict[Copy, str]:
    """Return the name under which each copy is loaded; copies that are hidden by others have none."""
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
        is_open = winner is None and min(rival.tier for rival in owners[copy.name]) == copy.tier
        if is_open and winners[copy.relative_name] is copy:
            names[copy] = copy.relative_name
    return names


def find_hidden(copies: Sequence[Copy]) -> list[Copy]:
    """Return the copies that a different skill of the same name in an earlier folder hides."""
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
