"""The home: HERMES_HOME as it is at the moment of a call, unless a plugin set another one for its context."""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import Path


class HomePath:
    """The home as one host and its plugins see it; `override` is the home that was set for a context."""

    def __init__(self) -> None:
        self.override: ContextVar[str | None] = ContextVar("hermes_home_override", default=None)

    def __call__(self) -> Path:
        """Return the home for this context."""
        return Path(self.override.get() or self.of_process())

    def display(self) -> str:
        """Return the home as a person writes it, with ``~``."""
        home, user = self(), Path.home()
        return f"~/{home.relative_to(user)}" if home.is_relative_to(user) else str(home)

    def of_process(self) -> Path:
        """Return the home of the process."""
        return Path(os.environ.get("HERMES_HOME", "").strip() or Path.home() / ".hermes")
