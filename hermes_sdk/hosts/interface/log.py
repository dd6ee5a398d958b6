"""Log records of a host: every host that starts needs this class, unlike the other values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A log record of the host or a plugin."""

    level: str
    logger: str
    message: str
