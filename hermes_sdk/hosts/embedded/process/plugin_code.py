"""Supervision of plugin code in this process: exits, time limits and log records."""

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
"""The directory of the host's code."""


def cancelled_error() -> type[BaseException]:
    """Return `asyncio.CancelledError`; an ``except`` clause imports it only when an exception was raised."""
    from asyncio import CancelledError

    return CancelledError


class _TimeUp(BaseException):
    """Stops plugin code; not an Exception, so that ``except Exception`` does not catch it."""


class OperationGuard:
    """Supervises operations of a host; `recording` knows the current callback."""

    def __init__(self, recording: Recording, plugin_files: Container[str], refusals: Refusals) -> None:
        self._recording = recording
        self._plugin_files = plugin_files
        self._refusals = refusals

    @contextlib.contextmanager
    def __call__(self, operation: str) -> Generator[None]:
        """Run an operation, and name it (such as ``tool calculate``) in errors about exits, failures and timeouts.

        The time limit applies only in the main thread, where Python delivers signals, and not within another limit.
        `KeyboardInterrupt` always comes from the user, and propagates.

        Raises:
            HostExited: Plugin code called ``sys.exit``.
            HermesSdkError: The operation timed out, or the host failed.
        """
        try:
            with self._limit_time(operation):
                yield
        except HermesSdkError as error:
            self._refusals.forget(error)
            raise
        except SystemExit as stop:
            raise HostExited(operation, stop.code) from stop
        except _TimeUp as up:
            ending = f"timed out after {TIME_LIMIT:g} s and was stopped."
            raise TimeLimitExceeded(str(up), ending, fix="Add a timeout to calls that can block.") from None
        except (Exception, cancelled_error(), GeneratorExit) as error:
            raise HermesSdkError(f"{operation}: the host failed with {_format(error)}") from error

    @contextlib.contextmanager
    def _limit_time(self, operation: str) -> Generator[None]:
        if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
            yield
            return

        def stop(_: int, frame: FrameType | None) -> None:
            what = self._recording.describe_running() or f"{operation}{self._format_line(frame)}"
            raise _TimeUp(what)

        before = signal.signal(signal.SIGALRM, stop)
        # Repeat every second, since plugin code may catch the first signal.
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _format_line(self, frame: FrameType | None) -> str:
        """Format the location of the innermost plugin code."""
        frame = find_plugin_frame(frame, self._plugin_files)
        return f" at {frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def describe_swallowed(where: str, error: BaseException, plugin_files: Container[str]) -> Swallowed:
    """Describe a swallowed exception; its traceback begins in the plugin's code, if it contains any."""
    from hermes_sdk.hosts.interface import Swallowed

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename not in plugin_files:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
    return Swallowed(where, _format(error), text)


def _format(error: BaseException) -> str:
    """Format an exception as ``Type: message``; the message is empty if ``__str__`` fails."""
    text = ""
    with contextlib.suppress(Exception):
        text = str(error)
    return f"{type(error).__name__}: {text}"


class LogCapture(logging.Handler):
    """Stores log records at INFO level and above while a host is open.

    Attributes:
        host_records: The records of the host itself, not of plugins or libraries.
    """

    def __init__(self, recording: Recording) -> None:
        super().__init__(logging.INFO)
        self.records: list[LogRecord] = []
        self.host_records: list[LogRecord] = []
        self._recording = recording
        # A gateway logs the same lines for every message; equal records share one object.
        self._share = functools.lru_cache(_MOST_SHARED)(LogRecord)

    def emit(self, record: logging.LogRecord) -> None:
        """Store a record; a message that cannot be formatted is stored unformatted."""
        try:
            message = record.getMessage()
        except Exception:
            self.records.append(self._share(record.levelname, record.name, str(record.msg)))
            return
        shared = self._share(record.levelname, record.name, message)
        self.records.append(shared)
        self._recording.log(record, message)
        if record.pathname.startswith(_OURS):
            self.host_records.append(shared)
