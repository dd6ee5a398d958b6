"""The limits around plugin code in this process: how it may end, how long it may take, and what it logs."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import signal
import threading
import traceback
from collections.abc import Container, Generator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.process.refusals import Refusals, find_plugin_frame
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface import HostExited, LogRecord, TimeLimitExceeded

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Swallowed

TIME_LIMIT = 30.0
"""Seconds that one operation of the host may take, as on the real host."""
_MOST_SHARED = 1024
_OURS = str(Path(__file__).parents[2]) + os.sep
"""Where the code of the host lies."""


def cancelled_error() -> type[BaseException]:
    """Return `asyncio.CancelledError`; an ``except`` clause calls this only when something was raised."""
    from asyncio import CancelledError

    return CancelledError


class _TimeUp(BaseException):
    """Stops plugin code; not an Exception, so that code which catches those does not continue."""


class Running:
    """Runs operations of a host; `recording` knows which callback runs."""

    def __init__(self, recording: Recording, plugin_files: Container[str], refusals: Refusals) -> None:
        self._recording = recording
        self._plugin_files = plugin_files
        self._refusals = refusals

    @contextlib.contextmanager
    def __call__(self, doing: str) -> Generator[None]:
        """Name the operation, such as ``tool calculate``, when it ends the host, fails in it, or takes too long.

        The time is limited in the main thread only, where Python delivers signals, and not within another limit.
        `KeyboardInterrupt` is always the user's, and ends more than the operation.

        Raises:
            HostExited: Plugin code called ``sys.exit``.
            HermesSdkError: It took too long, or the host failed.
        """
        try:
            with self._limit_time(doing):
                yield
        except HermesSdkError as error:
            self._refusals.forget(error)
            raise
        except SystemExit as stop:
            raise HostExited(doing, stop.code) from stop
        except _TimeUp as up:
            ending = f"timed out after {TIME_LIMIT:g} s and was stopped."
            raise TimeLimitExceeded(str(up), ending, fix="Add a timeout to calls that can block.") from None
        except (Exception, cancelled_error(), GeneratorExit) as error:
            raise HermesSdkError(f"{doing}: the host failed with {_format(error)}") from error

    @contextlib.contextmanager
    def _limit_time(self, doing: str) -> Generator[None]:
        if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
            yield
            return

        def stop(_: int, frame: FrameType | None) -> None:
            what = self._recording.stuck() or f"{doing}{self._format_line(frame)}"
            raise _TimeUp(what)

        before = signal.signal(signal.SIGALRM, stop)
        # Again each second: plugin code may have caught the first one.
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _format_line(self, frame: FrameType | None) -> str:
        """Return the innermost line of the plugin's code."""
        frame = find_plugin_frame(frame, self._plugin_files)
        return f" at {frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def swallowed(where: str, error: BaseException, plugin_files: Container[str]) -> Swallowed:
    """Describe a hidden exception; its traceback begins in the author's code, when it gets there."""
    from hermes_sdk.hosts.interface import Swallowed

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename not in plugin_files:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
    return Swallowed(where, _format(error), text)


def _format(error: BaseException) -> str:
    """Write an exception as ``Type: message``; the message is empty when the exception cannot tell it."""
    text = ""
    with contextlib.suppress(Exception):
        text = str(error)
    return f"{type(error).__name__}: {text}"


class LogCapture(logging.Handler):
    """Keeps what is logged at INFO and above while a host is open.

    Attributes:
        of_host: What the host itself logged, not a plugin or a library.
    """

    def __init__(self, recording: Recording) -> None:
        super().__init__(logging.INFO)
        self.records: list[LogRecord] = []
        self.of_host: list[LogRecord] = []
        self._recording = recording
        # A gateway logs equal lines for every message, which share one record.
        self._share = functools.lru_cache(_MOST_SHARED)(LogRecord)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record; a message that cannot be formatted is kept as it was given."""
        try:
            message = record.getMessage()
        except Exception:
            self.records.append(self._share(record.levelname, record.name, str(record.msg)))
            return
        kept = self._share(record.levelname, record.name, message)
        self.records.append(kept)
        self._recording.log(record, message)
        if record.pathname.startswith(_OURS):
            self.of_host.append(kept)
