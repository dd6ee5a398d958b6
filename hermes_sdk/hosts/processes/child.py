"""Child processes that answer several requests, one at a time, and can run untrusted code."""

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
"""Seconds to wait for a child to report a timeout or to exit before it is killed."""

_TAIL = 2000


class ChildEnded(HermesSdkError):
    """Raised if a child ended, or was stopped, without an answer.

    Args:
        status: The exit status, negative for a signal; None if the child was stopped after the time limit.
        printed: The last lines of its output.
    """

    def __init__(self, status: int | None, printed: str) -> None:
        super().__init__(f"the process that runs the plugin ended with status {status}.")
        self.status = status
        self.printed = printed


class Child:
    """A child of a fork server. After the first request, `layers` names its layers of `isolation`.

    Args:
        start: Starts the child with file descriptors for standard output, standard error, and requests.
        isolated: The isolation of a child that runs `process.serve_session`. Default: none is sent.
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
        """The process ID, which is also the ID of its process group."""
        return self._forked.pid

    def ask(
        self, request: bytes, time_limit: float, is_note: Callable[[dict[str, Any]], bool] = lambda _: False
    ) -> dict[str, Any]:
        """Send a request as JSON, and return the answer without validation. This is thread-safe.

        Args:
            request: The request.
            time_limit: Seconds to wait for the answer.
            is_note: Returns whether a message of the child is a note that precedes the answer.

        Raises:
            ChildEnded: The child timed out or ended; it cannot be used again.
            UnavailableError: A required layer of the isolation is missing.
            HermesSdkError: The answer is not valid.
        """
        with self._lock:
            if self._channel is None:
                raise HermesSdkError(
                    "the process that ran the plugin is no longer running.", fix="Load the plugin again."
                )
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
        """The last lines of the output; waits briefly for remaining output."""
        return self._output.text()[-_TAIL:].strip()

    def close(self) -> None:
        """End the child; a second call does nothing."""
        self._stop(0)

    def _exchange(
        self, channel: socket.socket, request: bytes, time_limit: float, is_note: Callable[[dict[str, Any]], bool]
    ) -> dict[str, Any]:
        # The child itself reports timeouts, unless the plugin blocks all its threads.
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
        # The child has ended, so a thread that waits for an answer releases the lock.
        with self._lock:
            if self._channel is not None:
                self._answers.close()
                self._channel.close()
                self._channel = None
        return status
