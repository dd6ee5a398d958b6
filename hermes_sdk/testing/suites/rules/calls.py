"""Recording of the functions of a plugin that run in a rule, as a hint where to look if the rule fails."""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_MAX_SHOWN = 8


class Calls:
    """Record of the functions of a plugin that ran.

    Args:
        plugin: The plugin's directory.
    """

    def __init__(self, plugin: Path) -> None:
        self._prefix = f"{plugin}/"
        self._is_own: dict[CodeType, bool] = {}
        self._left: dict[CodeType, int] = {}
        """Line at which each function returned or raised, in chronological order; its first line while it runs."""
        self._is_over = False

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a call or its end; a profile function for `sys.setprofile` and `threading.setprofile`."""
        code = frame.f_code
        if code not in self._is_own:
            # Neither a module nor the body of a class is a function.
            is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and code.co_name[0] != "<"
            self._is_own[code] = is_function and code.co_filename.startswith(self._prefix)
        if event in ("call", "return") and self._is_own[code] and not self._is_over:
            self._left.pop(code, None)
            self._left[code] = code.co_firstlineno if event == "call" else frame.f_lineno

    def stop(self) -> None:
        """Stop recording, including calls on threads that are still running."""
        self._is_over = True

    def __str__(self) -> str:
        """Format the latest functions, each with its last line; callers come before the functions that they called."""
        latest = [*self._left.items()][: -_MAX_SHOWN - 1 : -1]
        return ", ".join(f"{code.co_name}() at {code.co_filename}:{line}" for code, line in latest)


@contextlib.contextmanager
def record_calls(calls: Calls) -> Generator[None]:
    """Record calls on this thread and on threads started in the context."""
    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(calls.note)
    threading.setprofile(calls.note)
    try:
        yield
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])
        calls.stop()
