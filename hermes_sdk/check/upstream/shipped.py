"""The files of a plugin that a user would get."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Shipped(NamedTuple):
    """A copy of what an installation would put into a home.

    Attributes:
        directory: The copy; it has the name that the host would give it.
        repository: The root of the repository of the original; None for a plugin that is in none, or not committed.
        commit: The SHA of the commit that the copy is from; empty without a repository.
        subdirectory: Where in the repository the plugin is; empty for its root.
        differing: The files that differ between the copy and the plugin as it is on disk, sorted.
        checkout: The plugin in a checkout of the whole repository at that commit; None without one.
    """

    directory: Path
    repository: Path | None = None
    commit: str = ""
    subdirectory: str = ""
    differing: tuple[str, ...] = ()
    checkout: Path | None = None

    @property
    def source(self) -> str:
        """Where the copy comes from, in words."""
        if not self.commit:
            return "the directory as it is on disk"
        where = f"subdirectory {self.subdirectory}" if self.subdirectory else "the whole repository"
        return f"{where} at commit {self.commit[:12]}"
