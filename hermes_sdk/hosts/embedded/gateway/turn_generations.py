"""Which turn of a chat counts: a command may have ended the one that still runs."""

from __future__ import annotations

from collections import Counter


class Runs:
    """Numbers the turns of each chat."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()

    def begin(self, key: str) -> int:
        """Number a turn that begins."""
        self._numbers[key] += 1
        return self._numbers[key]

    def invalidate(self, key: str) -> None:
        """Let the turn that runs no longer count."""
        self._numbers[key] += 1

    def is_current(self, key: str, number: int) -> bool:
        """Tell whether a turn counts."""
        return self._numbers[key] == number
