"""Runs of functions in forks of this process, which share its imported modules; `process.run` runs programs."""

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
    """Call a function in a fork of this process, in its own process group, which is killed when the call ends.

    This process must not have other threads. Standard input is empty; `stdout` contains both output streams. The
    request and the result are passed as JSON.

    Args:
        time_limit: Seconds after which the fork is stopped.
        grace: Seconds between an interrupt and a kill after the time limit; an answer in that time becomes the `value`
            of a call that ended at the ``time limit``.
        isolated: The isolation of the fork. Default: none.

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
                _run_child(function, request, environment, cwd, theirs, output.fileno(), isolated)
        sent, in_time, is_complete = bytearray(), False, False
        lines = 1 if isolated is None else 2
        try:
            in_time = is_complete = _read(ours, sent, lines, time.monotonic() + time_limit)
            if not in_time and grace:
                os.kill(pid, signal.SIGINT)
                is_complete = _read(ours, sent, lines, time.monotonic() + grace)
        finally:
            # A child that has closed its side is about to exit: wait for its own status.
            status = reap(pid, patience=1.0 if is_complete else 0.0)
        layers, value = answers.read(bytes(sent), isolated is not None, isolated.required if isolated else ())
        return _describe_end(status, in_time, value, _read_output(output.fileno()), layers)


def _run_child(
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
    """Read lines until their number, the size limit or the end of the channel is reached; return False on timeout."""
    count = sent.count(b"\n")
    while count < lines and len(sent) <= answers.LIMIT:
        ready, _, _ = select.select([channel], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return False
        block = channel.recv(1 << 16)
        if not block:
            break
        sent += block
        count += block.count(b"\n")
    return True


def _read_output(output: int) -> str:
    """Return the end of the output, because summaries at the end matter most."""
    size = os.fstat(output).st_size
    text = os.pread(output, OUTPUT_LIMIT, max(size - OUTPUT_LIMIT, 0)).decode(errors="replace")
    return text if size <= OUTPUT_LIMIT else f"[{size - OUTPUT_LIMIT} earlier bytes were dropped]\n{text}"


def _describe_end(status: int, in_time: bool, value: Any, printed: str, layers: tuple[str, ...]) -> Finished:
    if not in_time:
        return Finished("time limit", signal.SIGKILL, value, printed, "", layers)
    if value is not None:
        return Finished("answered", max(status, 0), value, printed, "", layers)
    if status < 0:
        return Finished("signal", -status, None, printed, "", layers)
    return Finished("exited", status, None, printed, "", layers)
