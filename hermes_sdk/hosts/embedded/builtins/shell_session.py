"""Shell sessions, which keep the working directory and exported variables between commands."""

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
"""Share of truncated output that comes from its beginning; the rest comes from its end."""
GRACE = 0.1
"""Seconds to wait for output of background processes after a command has ended."""

_AGENT_LINE = 'export AI_AGENT="${AI_AGENT:-hermes-agent}" HERMES_AGENT="${HERMES_AGENT:-true}"\n'
"""Line with which the host identifies itself to programs."""
_PAGER_LINE = 'export GIT_PAGER="${GIT_PAGER:-cat}" PAGER="${PAGER:-cat}"\n'
"""Line with which the host disables interactive pagers."""
_AGENT_VARIABLES = ("AI_AGENT", "HERMES_AGENT")


class Completed(NamedTuple):
    """The result of a command.

    Attributes:
        output: The output of both streams.
        status: The exit status.
        cwd: The working directory at the end; None if the command did not finish.
        is_cut: Whether the middle of `output` was removed.
    """

    output: str
    status: int
    cwd: str | None = None
    is_cut: bool = False


class Shell:
    """Runs commands that start with the working directory and exported variables of the previous one."""

    def __init__(self, *, announces_agent: bool = False, replaces_pager: bool = False) -> None:
        self._first_lines = (_AGENT_LINE if announces_agent else "") + (_PAGER_LINE if replaces_pager else "")
        self.exported: dict[str, str] = {}
        self.cwd: str | None = None

    def run(self, command: str, cwd: str, seconds: float, limit: int) -> Completed:
        """Run a bash command; kill it and its child processes at the timeout.

        `limit` is the maximum length of the output.
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
            self._save_variables(variables.read())
        if not in_time:
            notice = f"\n[Command timed out after {seconds}s]"
            return Completed(truncate(output, limit, notice if output else notice.lstrip()), 124)
        is_cut = len(output) > limit
        shown, separator, rest = truncate(output, limit).rpartition(f"\n{mark}")
        if not separator:
            return Completed(rest, process.returncode, is_cut=is_cut)
        self.cwd = rest.split(mark)[0]
        return Completed(shown, process.returncode, self.cwd, is_cut)

    def _save_variables(self, exported: bytes) -> None:
        pairs = (pair.partition("=") for pair in exported.decode(errors="surrogateescape").split("\0") if pair)
        variables = {name: value for name, _, value in pairs if not (self._first_lines and name in _AGENT_VARIABLES)}
        self.exported = variables or self.exported


def _build_script(command: str, cwd: str, mark: str, variables: int) -> str:
    where = "~" if cwd == "~" else f"$HOME/{shlex.quote(cwd[2:])}" if cwd.startswith("~/") else shlex.quote(cwd)
    # Line numbers match the host's, because bash reports them: the host restores variables in the first line.
    return (
        f":\nbuiltin cd -- {where} || exit 126\neval {shlex.quote(command)}\nended=$?\n"
        f"env -0 >&{variables} 2>/dev/null\nprintf '\\n{mark}%s{mark}\\n' \"$(pwd -P)\"\nexit $ended"
    )


def _collect_output(process: subprocess.Popen[bytes], deadline: float) -> tuple[str, bool]:
    """Read the output of a process; return it, and whether the process ended before the deadline."""
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


def truncate(text: str, limit: int, suffix: str = "") -> str:
    """Replace the middle of a long text with a notice, and append a suffix that is never cut."""
    if len(text) + len(suffix) <= limit:
        return text + suffix
    if len(suffix) >= limit:
        return suffix[-limit:]
    notice = ""
    for _ in range(4):
        # The number in the notice depends on the length of the notice.
        room = max(0, limit - len(suffix) - len(notice))
        notice = f"\n\n... [OUTPUT TRUNCATED - {len(text) - room:,} chars omitted out of {len(text):,} total] ...\n\n"
    room = max(0, limit - len(suffix) - len(notice))
    head = int(room * HEAD)
    return text[:head] + notice[: limit - len(suffix)] + text[len(text) - (room - head) :] + suffix
