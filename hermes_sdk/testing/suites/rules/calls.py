"""Records which functions of a plugin a rule, or the host in a rule, calls: where to look when the rule fails."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_MOST = 5


class Calls:
    """Calls of a plugin's functions by code that is not the plugin's.

    Args:
        plugin: The plugin's directory.
    """

    def __init__(self, plugin: Path) -> None:
        self._prefix = f"{plugin}/"
        self._is_own: dict[CodeType, bool] = {}
        self._called: dict[CodeType, None] = {}

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; `sys.setprofile` and `threading.setprofile` take this function."""
        if event == "call" and self._owns(frame) and not (frame.f_back and self._owns(frame.f_back)):
            # The latest call comes last.
            self._called.pop(frame.f_code, None)
            self._called[frame.f_code] = None

    def _owns(self, frame: FrameType) -> bool:
        code = frame.f_code
        if code not in self._is_own:
            self._is_own[code] = code.co_filename.startswith(self._prefix) and code.co_name[0] != "<"
        return self._is_own[code]

    def __str__(self) -> str:
        """Return the latest functions, the last one called first."""
        latest = [*self._called][: -_MOST - 1 : -1]
        return ", ".join(f"{one.co_name}() at {one.co_filename}:{one.co_firstlineno}" for one in latest)


@contextlib.contextmanager
def record_calls(calls: Calls) -> Generator[None]:
    """Record calls on this thread and on threads that start meanwhile."""
    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(calls.note)
    threading.setprofile(calls.note)
    try:
        yield
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])
