"""Log records of a host, separate from the other values because every host needs them at its start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A log record of the host or a plugin."""

    level: str
    logger: str
    message: str
