"""The changes of a plugin's files that call for a new load."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import Change, DefaultFilter, awatch

if TYPE_CHECKING:
    from anyio import Event

_QUIET = 30
"""Milliseconds without a change after which a burst of saves is over."""

_LONGEST = 400
"""Milliseconds after which a burst counts as over although changes go on."""

_WRITTEN = (".log", ".db", ".sqlite", ".sqlite3", "-journal", "-wal", "-shm", ".pid", ".lock", ".tmp")
_FOLDERS = {".cache", ".ruff_cache", ".pyright", "cache", "logs", "state", "build", "dist"}


class Sources(DefaultFilter):
    """Passes what an author edits; logs, caches, databases and other files that programs write stay out."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def __call__(self, change: Change, path: str) -> bool:
        """Tell whether a change of a path calls for a new load."""
        place = Path(path)
        within = place.relative_to(self._root) if place.is_relative_to(self._root) else place
        written = place.name.endswith(_WRITTEN) or (place.suffix != ".py" and not _FOLDERS.isdisjoint(within.parts))
        return not written and super().__call__(change, path)


async def watch(root: Path, stop: Event) -> AsyncIterator[None]:
    """Yield once for each burst of changes below a directory, until `stop` is set."""
    root = root.resolve()
    async for _ in awatch(root, watch_filter=Sources(root), debounce=_LONGEST, step=_QUIET, stop_event=stop):
        yield
