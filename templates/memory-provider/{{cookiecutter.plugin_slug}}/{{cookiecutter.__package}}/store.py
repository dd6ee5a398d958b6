"""The database: texts with full-text search."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

# Another process may be writing to the database; do not wait long for it.
TIMEOUT = 1.0
MOST_WORDS = 32


class Store:
    """The texts of one home. Its methods may be called on any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, timeout=TIMEOUT, check_same_thread=False)
        with self._lock, self._connection:
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (text, session UNINDEXED)")

    def add(self, texts: Iterable[tuple[str, str]]) -> None:
        """Store texts, each with the session it comes from."""
        rows = [(_storable(text), session) for text, session in texts]
        with self._lock, self._connection:
            self._connection.executemany("INSERT INTO texts VALUES (?, ?)", rows)

    def search(self, text: str, limit: int) -> list[str]:
        """Return the texts that share words with a text, best match first."""
        # Quoted, because a user's message is not a query: "and", * and ( are operators there.
        words = [f'"{word}"' for word in re.findall(r"\w+", _storable(text))[:MOST_WORDS]]
        if not words:
            return []
        query = "SELECT text FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        with self._lock:
            return [found for (found,) in self._connection.execute(query, (" OR ".join(words), limit))]

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()


def _storable(text: str) -> str:
    """Return a text that SQLite can store: valid UTF-8 without null characters."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
