"""What a command of the user did while it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Observed:
    """What a recorded command sent, in memory.

    Attributes:
        status: Its exit status; 128 and the number of the signal that ended it.
        about: What the host says of itself: ``release``, ``home``, ``cwd``, ``plugins`` and ``toolsets``; empty when it
            loaded no plugins.
        events: What was recorded, in the order in which it began, as in `Recording.events`.
    """

    status: int = 0
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
