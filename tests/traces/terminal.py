"""Terminal of a recorded command."""

import os
import pty
import select
import signal
import subprocess
from collections.abc import Sequence

import pytest
from traces.machine import Machine

_PATIENCE = 180
"""Seconds to wait for a text before the test fails."""


class Terminal:
    """Terminal of a recorded command."""

    def __init__(self, machine: Machine, command: Sequence[object]) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [*map(str, command)],
            env={**machine.variables, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
            cwd=machine.work,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def wait(self, text: str) -> None:
        """Wait until a text is printed."""
        seen = b""
        while text.encode() not in seen:
            is_there, *_ = select.select([self._ours], [], [], _PATIENCE)
            data = self._read() if is_there else b""
            if not data:
                os.killpg(self._process.pid, signal.SIGKILL)
                pytest.fail(f"{text!r} is not in {seen.decode(errors='replace')!r}")
            if b"\x1b[6n" in data:  # A query of the cursor position.
                os.write(self._ours, b"\x1b[1;1R")
            seen += data

    def type(self, text: str) -> None:
        """Type a line, with a pause before Enter, which would otherwise be part of a pasted text."""
        os.write(self._ours, text.encode())
        self.wait(text)
        while select.select([self._ours], [], [], 0.1)[0]:
            self._read()
        os.write(self._ours, b"\r")

    def press_interrupt(self) -> None:
        """Press Ctrl-C."""
        os.write(self._ours, b"\x03")

    def end(self) -> int:
        """Wait until the command ends, and return the exit status."""
        while self._read():
            pass
        os.close(self._ours)
        return self._process.wait()

    def _read(self) -> bytes:
        try:
            return os.read(self._ours, 65536)
        except OSError:
            return b""
