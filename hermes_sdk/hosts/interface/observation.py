"""What a command of the user did while it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Observed:
    """What a recorded command sent, in memory.

    Attributes:
        status: Its exit status; 128 and the number of the signal that ended it.
        about: What the host says of itself: ``host`` with its ``release``, ``home``, ``cwd``, ``plugins``, ``bundled``
            (the keys and names of its own plugins) and ``config``, the text of ``config.yaml`` at its start;
            ``toolsets`` by platform; ``typed``, the names of the host's own commands that were typed in a terminal.
            Empty when it loaded no plugins.
        events: What was recorded, in the order in which it began, as in `Recording.events`. Those of the kind
            ``message`` also have ``key``, the session of the message, ``busy``, the sessions that were busy when it
            arrived, and whether the session was ``continued`` and the user ``paired``; ``beyond`` among their arguments
            lists what a scenario cannot say of them.
        problems: What could not be recorded.
    """

    status: int = 0
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    problems: list[str] = field(default_factory=list[str])
