"""A shell session: each command starts in the directory and with the variables in which the previous one ended."""

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
"""The share of truncated output that is taken from its beginning; the rest is its end."""
GRACE = 0.1
"""Seconds after the end of a command in which its background processes may still print."""

_AGENT = 'export AI_AGENT="${AI_AGENT:-hermes-agent}" HERMES_AGENT="${HERMES_AGENT:-true}"\n'
"""The line with which the host tells programs of itself."""
_PAGER = 'export GIT_PAGER="${GIT_PAGER:-cat}" PAGER="${PAGER:-cat}"\n'
"""The line with which the host keeps programs from waiting for somebody who reads."""
_OF_AGENT = ("AI_AGENT", "HERMES_AGENT")


class Completed(NamedTuple):
    """The result of a command.

    Attributes:
        output: What it printed on both streams.
        status: Its exit status.
        cwd: The directory in which it ended; None when it did not come to its end.
        is_cut: Whether `output` lacks its middle.
    """

    output: str
    status: int
    cwd: str | None = None
    is_cut: bool = False


class Shell:
    """Runs commands with one environment: the exported variables and the directory with which the last one ended."""

    def __init__(self, *, announces_agent: bool = False, replaces_pager: bool = False) -> None:
        self._first_lines = (_AGENT if announces_agent else "") + (_PAGER if replaces_pager else "")
        self.exported: dict[str, str] = {}
        self.cwd: str | None = None

    def run(self, command: str, cwd: str, seconds: float, most: int) -> Completed:
        """Run a bash command; kill it with its child processes at the timeout.

        `most` limits the characters of its output.
        """
        mark = f"__HERMES_CWD_{uuid.uuid4().hex[:12]}__"
        with tempfile.TemporaryFile() as variables:
            script = self._first_lines + _build_script(command, cwd, mark, variables.fileno())
            process = subprocess.Popen(
                [shutil.which("bash") or "bash", "-c", script],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.exported},
                pass_fds=[variables.fileno()],
                start_new_session=True,
            )
            output, in_time = _collect_output(process, time.monotonic() + seconds)
            variables.seek(0)
            self._remember(variables.read())
        if not in_time:
            late = f"\n[Command timed out after {seconds}s]"
            return Completed(truncate(output, most, late if output else late.lstrip()), 124)
        is_cut = len(output) > most
        shown, found, rest = truncate(output, most).rpartition(f"\n{mark}")
        if not found:
            return Completed(rest, process.returncode, is_cut=is_cut)
        self.cwd = rest.split(mark)[0]
        return Completed(shown, process.returncode, self.cwd, is_cut)

    def _remember(self, exported: bytes) -> None:
        pairs = (pair.partition("=") for pair in exported.decode(errors="surrogateescape").split("\0") if pair)
        kept = {name: value for name, _, value in pairs if not (self._first_lines and name in _OF_AGENT)}
        self.exported = kept or self.exported


def _build_script(command: str, cwd: str, mark: str, variables: int) -> str:
    where = "~" if cwd == "~" else f"$HOME/{shlex.quote(cwd[2:])}" if cwd.startswith("~/") else shlex.quote(cwd)
    # The host restores exported variables in the first line; bash names the third line in its error messages.
    return (
        f":\nbuiltin cd -- {where} || exit 126\neval {shlex.quote(command)}\nended=$?\n"
        f"env -0 >&{variables} 2>/dev/null\nprintf '\\n{mark}%s{mark}\\n' \"$(pwd -P)\"\nexit $ended"
    )


def _collect_output(process: subprocess.Popen[bytes], deadline: float) -> tuple[str, bool]:
    """Read the output of a process; return it and whether the process ended in time."""
    assert process.stdout is not None
    chunks, in_time = [], True
    try:
        while True:
            ready, _, _ = select.select([process.stdout], [], [], GRACE)
            chunk = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            chunks.append(chunk)
            # Background processes of the command may hold the pipe open for long.
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


def truncate(text: str, most: int, suffix: str = "") -> str:
    """Cut the middle out of text that is too long and say how much; the suffix always stays."""
    if len(text) + len(suffix) <= most:
        return text + suffix
    if len(suffix) >= most:
        return suffix[-most:]
    notice = ""
    for _ in range(4):
        # The number in the notice depends on the length of the notice.
        room = max(0, most - len(suffix) - len(notice))
        notice = f"\n\n... [OUTPUT TRUNCATED - {len(text) - room:,} chars omitted out of {len(text):,} total] ...\n\n"
    room = max(0, most - len(suffix) - len(notice))
    head = int(room * HEAD)
    return text[:head] + notice[: most - len(suffix)] + text[len(text) - (room - head) :] + suffix
