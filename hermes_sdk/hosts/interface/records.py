"""What a host records while it runs: its log, hidden exceptions, and what it does not model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

OnSwallowed = Callable[[str, BaseException], None]
"""Called with a place such as ``hook post_tool_call`` and the exception whenever a host hides one of a plugin."""


@dataclass(frozen=True)
class LogRecord:
    """A log record of the host or a plugin."""

    level: str
    logger: str
    message: str


@dataclass(frozen=True)
class Swallowed:
    """A plugin's exception that the host swallowed.

    Attributes:
        where: What was running, such as ``hook post_tool_call`` or ``tool calculate``.
        error: The exception as ``Type: message``.
        traceback: Its traceback, as Python prints it.
    """

    where: str
    error: str
    traceback: str

    def matches(self, pattern: str) -> bool:
        """Return whether ``where: Type: message`` matches a regular expression anywhere."""
        return re.search(pattern, f"{self.where}: {self.error}") is not None


@dataclass(frozen=True)
class Unsupported:
    """Something that was reached and that the embedded host does not model.

    Attributes:
        what: A verb phrase such as ``model gateway.session_context``.
        where: The line of the plugin that reached it as ``file:line``; empty when no code of a plugin was running.
        fix: What to do instead of running it on the real host; empty for nothing.
    """

    what: str
    where: str
    fix: str = ""

    def __str__(self) -> str:
        return f"The embedded host does not {self.what}" + (f" ({self.where})." if self.where else ".")

    def matches(self, pattern: str) -> bool:
        """Tell whether a regular expression is found in the text of this object."""
        return re.search(pattern, str(self)) is not None
