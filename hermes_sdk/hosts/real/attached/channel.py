"""The connection of a recorded process to the command that records it: JSON Lines on a socket."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from typing import Any


class Channel:
    """Sends messages until the other side is gone; children of the process send none."""

    def __init__(self, descriptor: int) -> None:
        self._socket: socket.socket | None = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._close)

    def _close(self) -> None:
        self._lock = threading.Lock()
        self._socket = None

    def send(self, message: dict[str, Any]) -> None:
        """Send one message; a failure ends the recording, and not the host."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._socket is not None:
                self._socket.sendall(json.dumps(message).encode() + b"\n")

    def event(self, number: int, event: dict[str, Any]) -> None:
        """Send an event."""
        self.send({"number": number, "event": event})
