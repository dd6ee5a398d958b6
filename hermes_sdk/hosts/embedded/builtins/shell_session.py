"""One shell after another that look like one: each command begins where and with what the one before it ended."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from typing import NamedTuple

HEAD = 0.4
"""How much of output that is too long is kept from its beginning; the rest is its end."""
BREATH = 0.1
"""Seconds after the end of a command in which what it left in the background may still print."""


class Finished(NamedTuple):
    """How a command ended: what it printed on both streams, and its status."""

    output: str
    status: int


class Shell:
    """Runs commands with one environment.

    Attributes:
        exported: The variables with which the last command ended; those of the process count where it has none.
        cwd: The directory in which the last command ended, None before there was one.
    """

    def __init__(self) -> None:
        self.exported: dict[str, str] = {}
        self.cwd: str | None = None

    def run(self, command: str, cwd: str, seconds: float, most: int | None) -> Finished:
        """Run a command to its end.

        Args:
            command: The command, for bash.
            cwd: Where it begins.
            seconds: After how many it is killed, with all that it started.
            most: How many characters of its output are kept; None for all of them.
        """
        mark = f"__HERMES_CWD_{uuid.uuid4().hex[:12]}__"
        with tempfile.TemporaryFile() as variables:
            process = subprocess.Popen(
                [shutil.which("bash") or "bash", "-c", _script(command, cwd, mark, variables.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.exported},
                pass_fds=[variables.fileno()],
                start_new_session=True,
            )
            output, in_time = _collected(process, time.monotonic() + seconds)
            variables.seek(0)
            self._remember(variables.read())
        if not in_time:
            late = f"\n[Command timed out after {seconds}s]"
            return Finished(bounded(output, most, late if output else late.lstrip()), 124)
        shown, found, told = bounded(output, most).rpartition(f"\n{mark}")
        if not found:
            return Finished(told, process.returncode)
        self.cwd = told.split(mark)[0]
        return Finished(shown, process.returncode)

    def _remember(self, exported: bytes) -> None:
        pairs = (pair.partition("=") for pair in exported.decode(errors="surrogateescape").split("\0") if pair)
        self.exported = {name: value for name, _, value in pairs} or self.exported


def _script(command: str, cwd: str, mark: str, variables: int) -> str:
    where = "~" if cwd == "~" else f"$HOME/{shlex.quote(cwd[2:])}" if cwd.startswith("~/") else shlex.quote(cwd)
    # The host reads what was exported before in the first line; messages of bash tell the number of the third.
    return (
        f":\nbuiltin cd -- {where} || exit 126\neval {shlex.quote(command)}\nended=$?\n"
        f"env -0 >&{variables} 2>/dev/null\nprintf '\\n{mark}%s{mark}\\n' \"$(pwd -P)\"\nexit $ended"
    )


def _collected(process: subprocess.Popen[bytes], deadline: float) -> tuple[str, bool]:
    """Read what a process prints; tell also whether it ended in time."""
    assert process.stdout is not None
    chunks, in_time = [], True
    try:
        while True:
            ready, _, _ = select.select([process.stdout], [], [], BREATH)
            chunk = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            chunks.append(chunk)
            # What the command left in the background may hold the pipe open for long.
            if not chunk and (ready or process.poll() is not None):
                break
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, 0)
        process.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        in_time = False
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()
    return b"".join(chunks).decode(errors="replace"), in_time


def bounded(text: str, most: int | None, suffix: str = "") -> str:
    """Cut the middle out of text that is too long, and say how much; the suffix always stays."""
    if most is None or len(text) + len(suffix) <= most:
        return text + suffix
    if len(suffix) >= most:
        return suffix[-most:]
    notice = ""
    for _ in range(4):
        # How much the notice tells is left out depends on how long the notice is.
        room = max(0, most - len(suffix) - len(notice))
        notice = f"\n\n... [OUTPUT TRUNCATED - {len(text) - room:,} chars omitted out of {len(text):,} total] ...\n\n"
    room = max(0, most - len(suffix) - len(notice))
    head = int(room * HEAD)
    return text[:head] + notice[: most - len(suffix)] + text[len(text) - (room - head) :] + suffix
