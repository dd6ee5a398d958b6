"""Notes in a SQLite database with full-text search."""

from __future__ import annotations

import re
import sqlite3
import threading
from pathlib import Path

TIMEOUT = 1.0
LIMIT = 5


class Store:
    """The notes of one home; its methods may be called on any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, timeout=TIMEOUT, check_same_thread=False)
        # Do not wait for the disk in each turn: a power failure may lose the last note.
        self._connection.execute("PRAGMA synchronous = OFF")
        with self._lock, self._connection:
            self._connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5 (text, session UNINDEXED)")

    def add(self, text: str, session: str) -> None:
        with self._lock, self._connection:
            self._connection.execute("INSERT INTO notes VALUES (?, ?)", (storable(text), session))

    def search(self, text: str) -> list[str]:
        words = [f'"{word}"' for word in re.findall(r"\w+", storable(text))[:32]]
        if not words:
            return []
        query = "SELECT text FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?"
        with self._lock:
            return [row[0] for row in self._connection.execute(query, (" OR ".join(words), LIMIT))]

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def storable(text: str) -> str:
    """Remove characters that UTF-8 cannot encode, or at which SQLite would cut the text off."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
