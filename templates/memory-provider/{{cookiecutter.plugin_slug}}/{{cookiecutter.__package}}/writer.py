"""The thread that writes, so that no turn waits for the disk."""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading

from .store import Store

logger = logging.getLogger(__name__)

# Seconds to wait for what is not written yet: when something is looked for, and at the end.
PATIENCE = 2.0


class Writer:
    """Writes texts in the background, in the order in which they come."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # A text with its session; an event to set when all before it is written; or None, to end.
        self._queue: queue.SimpleQueue[tuple[str, str] | threading.Event | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="{{ cookiecutter.plugin_slug }}-writer", daemon=True)
        self._thread.start()

    def add(self, text: str, session: str) -> None:
        """Keep a text, soon."""
        self._queue.put((text, session))

    def settle(self) -> None:
        """Wait until everything is written that was added before, or until patience is at its end."""
        written = threading.Event()
        self._queue.put(written)
        written.wait(PATIENCE)

    def close(self) -> None:
        """Write what is left, and end the thread."""
        self._queue.put(None)
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        while True:
            item = self._queue.get()
            texts: list[tuple[str, str]] = []
            # Everything that waits is written at once: a hundred texts take hardly longer than one.
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
