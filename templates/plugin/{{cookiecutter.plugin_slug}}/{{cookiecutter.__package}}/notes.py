"""The notebook: a text file in the home of Hermes, one note on a line."""

from __future__ import annotations

import os
from pathlib import Path


def add(note: str) -> int:
    """Append a note and return how many there are now."""
    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8", errors="replace") as stream:
        stream.write(" ".join(note.split()) + "\n")
    return len(find())


def find(word: str = "") -> list[str]:
    """Return the notes that contain a word in upper or lower case, oldest first; all of them by default."""
    file = _file()
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line for line in lines if word.strip().lower() in line.lower()]


def clear() -> int:
    """Delete every note and return how many there were."""
    count = len(find())
    _file().unlink(missing_ok=True)
    return count


def _file() -> Path:
    # Read at each call: Hermes can serve several homes, and every test gets its own.
    home = os.environ.get("HERMES_HOME") or Path.home() / ".hermes"
    return Path(home) / "plugin-data" / "{{ cookiecutter.plugin_slug }}" / "notes.txt"
