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
        self._left: dict[CodeType, int] = {}
        """The line at which each function returned or raised, in the order of time; its first line while it runs."""
        self._is_over = False

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call or its end; `sys.setprofile` and `threading.setprofile` take this function."""
        code = frame.f_code
        if code not in self._is_own:
            # Neither a module nor the body of a class is a function.
            is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and code.co_name[0] != "<"
            self._is_own[code] = is_function and code.co_filename.startswith(self._prefix)
        if event in ("call", "return") and self._is_own[code] and not self._is_over:
            self._left.pop(code, None)
            self._left[code] = code.co_firstlineno if event == "call" else frame.f_lineno

    def stop(self) -> None:
        """Note no more calls, including those of threads that go on."""
        self._is_over = True

    def __str__(self) -> str:
        """Return the latest functions, each with its last line; a function comes before those that it called."""
        latest = [*self._left.items()][: -_MOST - 1 : -1]
        return ", ".join(f"{code.co_name}() at {code.co_filename}:{line}" for code, line in latest)


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
        calls.stop()
