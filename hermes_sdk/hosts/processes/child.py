"""A child process that stays and answers one request after the other; it may run foreign code."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.processes import answers
from hermes_sdk.hosts.processes.fork_server import Forked
from hermes_sdk.hosts.processes.process import Drain, Isolated

PATIENCE = 1.0
"""Seconds that a child gets to report a timeout itself, or to end by itself."""

_TAIL = 2000


class ChildEnded(HermesSdkError):
    """A child ended, or was stopped, without an answer.

    Args:
        status: Its exit status, negative for a signal; None when it was stopped after the time limit.
        printed: The end of what it had printed.
    """

    def __init__(self, status: int | None, printed: str) -> None:
        super().__init__(f"the process that runs the plugin ended with status {status}.")
        self.status = status
        self.printed = printed


class Child:
    """A child of a fork server. `layers` names the layers of `isolation` that it has entered, once it was asked.

    Args:
        start: Starts it with descriptors for its output, its errors and its conversation.
        isolated: How the child, which runs `process.serve_session`, isolates itself. Default: it does not read that.
    """

    def __init__(self, start: Callable[[int, int, int], Forked], isolated: Isolated | None = None) -> None:
        self.layers: tuple[str, ...] = ()
        self._opening = isolated
        self._lock = threading.RLock()
        self._ending = threading.Lock()
        self._channel: socket.socket | None
        self._channel, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            with theirs:
                self._forked = start(writing, writing, theirs.fileno())
            self._output = Drain(reading)
        except BaseException:
            self._channel.close()
            raise
        finally:
            os.close(reading)
            os.close(writing)
        self._answers = self._channel.makefile("rb")

    @property
    def pid(self) -> int:
        """Its number, and that of its process group."""
        return self._forked.pid

    def ask(
        self, request: bytes, time_limit: float, is_note: Callable[[dict[str, Any]], bool] = lambda _: False
    ) -> dict[str, Any]:
        """Send a request, which is JSON, and return the answer, which nobody has checked; threads take turns.

        Args:
            is_note: Called with what the child sends; returns whether that is a note, which comes before the answer.

        Raises:
            ChildEnded: There was none within the time limit, or the child ended; it cannot be asked again.
            UnavailableError: A required layer of the isolation is missing.
            HermesSdkError: Something else was sent.
        """
        with self._lock:
            if self._channel is None:
                raise HermesSdkError("the process that ran the plugin has ended.", fix="Load the plugin again.")
            try:
                return self._exchange(self._channel, request, time_limit, is_note)
            except TimeoutError:
                raise self._end(None) from None
            except (ConnectionError, EOFError):
                raise self._end(self._stop(PATIENCE)) from None
            except BaseException:
                self.close()
                raise

    @property
    def ended(self) -> bool:
        """Return whether the child is known to have ended."""
        return self._channel is None

    @property
    def printed(self) -> str:
        """The end of what it has printed; it waits a moment for the rest."""
        return self._output.text()[-_TAIL:].strip()

    def close(self) -> None:
        """End the child; calling it twice does nothing."""
        self._stop(0)

    def _exchange(
        self, channel: socket.socket, request: bytes, time_limit: float, is_note: Callable[[dict[str, Any]], bool]
    ) -> dict[str, Any]:
        # The child itself reports what exceeds the limit, unless the plugin blocks its other threads.
        channel.settimeout(time_limit + PATIENCE)
        if self._opening is None:
            channel.sendall(request + b"\n")
        else:
            opening, self._opening = self._opening, None
            channel.sendall(b"[%b, %b]\n" % (json.dumps(opening).encode(), request))
            line = self._answers.readline(answers.LIMIT + 1)
            if not line.endswith(b"\n"):
                raise EOFError
            self.layers, _ = answers.read(line, isolated=True, required=opening.required)
        while is_note(answer := answers.read_line(self._answers.readline(answers.LIMIT + 1))):
            pass
        return answer

    def _end(self, status: int | None) -> ChildEnded:
        self.close()
        return ChildEnded(status, self.printed)

    def _stop(self, patience: float) -> int:
        """End the child, and return its exit status, negative for a signal."""
        with self._ending:
            status = self._forked.end(patience)
        # A thread that waits for an answer has read the end of the channel by now.
        with self._lock:
            if self._channel is not None:
                self._answers.close()
                self._channel.close()
                self._channel = None
        return status
