"""Runs functions in forks of this process, which have everything imported; `process.run` does so for programs."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.in_worker.forks import enter_environment, reap
from hermes_sdk.hosts.sandbox.process import OUTPUT_LIMIT, Finished

_FAILED = 70


def run(
    function: Callable[[Any], Any],
    request: Any,
    *,
    environment: Mapping[str, str],
    cwd: Path,
    time_limit: float,
    grace: float = 0,
) -> Finished:
    """Call a function in a fork of this process, in a process group of its own that does not outlive this call.

    This process may have no other thread. Standard input is empty; both output streams end up in `stdout`. The request
    and the result of the function travel as JSON.

    Args:
        time_limit: Seconds after which it is stopped.
        grace: Seconds that it has to answer after an interrupt, before it is killed; such an answer is the `value` of a
            call that ended at the ``time limit``.
    """
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as output, ours:
        sys.stdout.flush()
        sys.stderr.flush()
        with theirs:
            pid = os.fork()
            if not pid:
                ours.close()
                _be_child(function, request, environment, cwd, theirs, output.fileno())
        answer = None
        try:
            answer = _read(ours, time.monotonic() + time_limit)
            in_time = answer is not None
            if answer is None and grace:
                os.kill(pid, signal.SIGINT)
                answer = _read(ours, time.monotonic() + grace)
        finally:
            # A child that answered, or closed its side, is about to end by itself, with its own status.
            status = reap(pid, patience=0.0 if answer is None else 1.0)
        return _describe_end(status, in_time, answer or b"", _read_output(output.fileno()))


def _be_child(
    function: Callable[[Any], Any],
    request: Any,
    environment: Mapping[str, str],
    cwd: Path,
    channel: socket.socket,
    output: int,
) -> None:
    status = _FAILED
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123
            os.dup2(nothing.fileno(), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        enter_environment(environment, cwd)
        answer = json.dumps(function(request)).encode()
        channel.sendall(answer + b"\n")
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Threads and exit handlers of foreign code, which may never end, are left behind.
        os._exit(status & 255)


def _read(channel: socket.socket, deadline: float) -> bytes | None:
    """Read until the other side ends its line or its life; return None when neither happens in time."""
    found = b""
    while not found.endswith(b"\n"):
        ready, _, _ = select.select([channel], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return None
        block = channel.recv(1 << 16)
        if not block:
            break
        found += block
    return found


def _read_output(output: int) -> str:
    """Return the end of the output, since a summary at the end matters more than the beginning."""
    size = os.fstat(output).st_size
    text = os.pread(output, OUTPUT_LIMIT, max(size - OUTPUT_LIMIT, 0)).decode(errors="replace")
    return text if size <= OUTPUT_LIMIT else f"[{size - OUTPUT_LIMIT} bytes before were dropped]\n{text}"


def _describe_end(status: int, in_time: bool, answer: bytes, printed: str) -> Finished:
    value = json.loads(answer) if answer.endswith(b"\n") else None
    if not in_time:
        return Finished("time limit", signal.SIGKILL, value, printed, "")
    if value is not None:
        return Finished("answered", max(status, 0), value, printed, "")
    if status < 0:
        return Finished("signal", -status, None, printed, "")
    return Finished("exited", status, None, printed, "")
