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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.processes import answers
from hermes_sdk.hosts.processes.forks import call_and_exit, enter_environment, reap, take_streams
from hermes_sdk.hosts.processes.isolation.kernel import end_with_parent
from hermes_sdk.hosts.processes.process import OUTPUT_LIMIT, Finished, Isolated, enter_isolation

_FAILED = 70


def run(
    function: Callable[[Any], Any],
    request: Any,
    *,
    environment: Mapping[str, str],
    cwd: Path,
    time_limit: float,
    grace: float = 0,
    isolated: Isolated | None = None,
) -> Finished:
    """Call a function in a fork of this process, in a process group of its own that does not outlive this call.

    This process may have no other thread. Standard input is empty; both output streams end up in `stdout`. The request
    and the result of the function travel as JSON.

    Args:
        time_limit: Seconds after which it is stopped.
        grace: Seconds that it has to answer after an interrupt, before it is killed; such an answer is the `value` of a
            call that ended at the ``time limit``.
        isolated: How to isolate it; it is not without.

    Raises:
        UnavailableError: A required layer of the isolation is missing.
        HermesSdkError: The process did not send a valid result.
    """
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as output, ours:
        sys.stdout.flush()
        sys.stderr.flush()
        with theirs:
            pid = os.fork()
            if not pid:
                ours.close()
                _be_child(function, request, environment, cwd, theirs, output.fileno(), isolated)
        sent, in_time, is_complete = bytearray(), False, False
        lines = 1 if isolated is None else 2
        try:
            in_time = is_complete = _read(ours, sent, lines, time.monotonic() + time_limit)
            if not in_time and grace:
                os.kill(pid, signal.SIGINT)
                is_complete = _read(ours, sent, lines, time.monotonic() + grace)
        finally:
            # A child that closed its side is about to end by itself, with its own status.
            status = reap(pid, patience=1.0 if is_complete else 0.0)
        layers, value = answers.read(bytes(sent), isolated is not None, isolated.required if isolated else ())
        return _describe_end(status, in_time, value, _read_output(output.fileno()), layers)


def _be_child(
    function: Callable[[Any], Any],
    request: Any,
    environment: Mapping[str, str],
    cwd: Path,
    channel: socket.socket,
    output: int,
    isolated: Isolated | None,
) -> None:
    def answer() -> None:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        take_streams(output, output, channel.fileno())
        enter_environment(environment, cwd)
        if isolated is None:
            end_with_parent(signal.SIGKILL, channel)
        elif not enter_isolation(isolated, channel):
            raise SystemExit(_FAILED)
        channel.sendall(json.dumps(function(request)).encode() + b"\n")

    call_and_exit(answer, _FAILED)


def _read(channel: socket.socket, sent: bytearray, lines: int, deadline: float) -> bool:
    """Read some lines, until the other side closes the channel, or too much; return whether that was in time."""
    found = sent.count(b"\n")
    while found < lines and len(sent) <= answers.LIMIT:
        ready, _, _ = select.select([channel], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return False
        block = channel.recv(1 << 16)
        if not block:
            break
        sent += block
        found += block.count(b"\n")
    return True


def _read_output(output: int) -> str:
    """Return the end of the output, since a summary at the end matters more than the beginning."""
    size = os.fstat(output).st_size
    text = os.pread(output, OUTPUT_LIMIT, max(size - OUTPUT_LIMIT, 0)).decode(errors="replace")
    return text if size <= OUTPUT_LIMIT else f"[{size - OUTPUT_LIMIT} bytes before were dropped]\n{text}"


def _describe_end(status: int, in_time: bool, value: Any, printed: str, layers: tuple[str, ...]) -> Finished:
    if not in_time:
        return Finished("time limit", signal.SIGKILL, value, printed, "", layers)
    if value is not None:
        return Finished("answered", max(status, 0), value, printed, "", layers)
    if status < 0:
        return Finished("signal", -status, None, printed, "", layers)
    return Finished("exited", status, None, printed, "", layers)
