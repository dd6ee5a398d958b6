"""Time limits: a call when one is exceeded, and the line where code is then."""

from __future__ import annotations

import contextlib
import faulthandler
import sys
import threading
from collections.abc import Callable, Generator

from .paths import is_plugin

# Seconds until Python itself prints all tracebacks, for code that blocks the other threads.
_LAST_WORD = 0.5

_STDERR = 2


@contextlib.contextmanager
def call_when_late(limit: float, late: Callable[[], None]) -> Generator[None]:
    """Call `late` in another thread when the context is still open after `limit` seconds."""
    timer = threading.Timer(limit, late)
    timer.daemon = True
    timer.start()
    faulthandler.dump_traceback_later(limit + _LAST_WORD, file=_STDERR)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        timer.cancel()


def current_line() -> str:
    """Return where plugin code is in the main thread, such as `` at plugins/notes/__init__.py:12``, or ``""``."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
    at = frames.get(threading.main_thread().ident or 0)
    while at is not None and not is_plugin(at.f_code.co_filename):
        at = at.f_back
    return f" at {at.f_code.co_filename}:{at.f_lineno}" if at else ""
