"""Records which functions of a plugin ran in a rule: where to look when the rule fails."""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_MOST = 8


class Calls:
    """The functions of a plugin that ran.

    Args:
        plugin: The plugin's directory.
    """

    def __init__(self, plugin: Path) -> None:
        self._prefix = f"{plugin}/"
        self._is_own: dict[CodeType, bool] = {}
        self._called: dict[CodeType, None] = {}

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; `sys.setprofile` and `threading.setprofile` take this function."""
        code = frame.f_code
        if code not in self._is_own:
            # Neither a module nor the body of a class is a function.
            is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and code.co_name[0] != "<"
            self._is_own[code] = is_function and code.co_filename.startswith(self._prefix)
        if event == "call" and self._is_own[code]:
            # The latest call comes last.
            self._called.pop(code, None)
            self._called[code] = None

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
