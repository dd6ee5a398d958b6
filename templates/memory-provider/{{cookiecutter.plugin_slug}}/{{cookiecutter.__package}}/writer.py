"""The writer thread, which keeps turns from waiting for the disk."""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading

from .store import Store

logger = logging.getLogger(__name__)

# Seconds to wait for pending writes before a search and at shutdown.
PATIENCE = 2.0


class Writer:
    """Writes texts in the background, in order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # A text with its session, an event to set when everything before it is written, or None to stop.
        self._queue: queue.SimpleQueue[tuple[str, str] | threading.Event | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="{{ cookiecutter.plugin_slug }}-writer", daemon=True)
        self._thread.start()

    def add(self, text: str, session: str) -> None:
        """Queue a text."""
        self._queue.put((text, session))

    def settle(self) -> None:
        """Wait until all queued texts are written, for at most `PATIENCE` seconds."""
        written = threading.Event()
        self._queue.put(written)
        written.wait(PATIENCE)

    def close(self) -> None:
        """Write the queued texts and stop the thread."""
        self._queue.put(None)
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        while True:
            item = self._queue.get()
            texts: list[tuple[str, str]] = []
            # Write all queued texts in one transaction: a hundred take hardly longer than one.
            while isinstance(item, tuple):
                texts.append(item)
                if self._queue.empty():
                    break
                item = self._queue.get()
            self._write(texts)
            if isinstance(item, threading.Event):
                item.set()
            elif item is None:
                return

    def _write(self, texts: list[tuple[str, str]]) -> None:
        if not texts:
            return
        try:
            self._store.add(texts)
        except sqlite3.Error as error:
            logger.warning("{{ cookiecutter.plugin_slug }} lost %d text(s): %s", len(texts), error)
