"""Runs a command of the user with the recorder of `attached` in its Python, and collects what that sends."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface.values import Observed

_PATH = Path(__file__).parent / "attached" / "path"
_VARIABLE = "HERMES_SDK_RECORDER"


def run(command: Sequence[str], *, http: bool = False) -> Observed:
    """Run a command with the terminal of this process, and return what was recorded once it has ended.

    Args:
        command: The program, a name on PATH or a path, and its arguments.
        http: Whether to record the HTTP requests of plugins too.

    Raises:
        UsageError: There is no such program.
    """
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"the program {command[0]!r} was not found", fix="Give the path of your hermes program.")
    ours, theirs = socket.socketpair()
    observed = Observed()
    reader = threading.Thread(target=_collect, args=(ours, observed))
    with ours:
        with theirs, _interrupts_left():
            process = subprocess.Popen(
                [program, *command[1:]], env=_environment(theirs.fileno(), http), pass_fds=[theirs.fileno()]
            )
            theirs.close()
            reader.start()
            status = process.wait()
        # A process that the host left behind may hold the connection.
        with contextlib.suppress(OSError):
            ours.shutdown(socket.SHUT_RD)
        reader.join()
    observed.status = status if status >= 0 else 128 - status
    observed.events.sort(key=lambda event: event["t"])
    return observed


def _environment(descriptor: int, http: bool) -> Mapping[str, str]:
    path = os.pathsep.join(filter(None, [str(_PATH), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, _VARIABLE: f"{descriptor}{' http' if http else ''}"}


@contextlib.contextmanager
def _interrupts_left() -> Generator[None]:
    """Leave Ctrl-C to the command, which has the same terminal."""

    def ignore(_: int, __: FrameType | None) -> None:
        pass

    # Not SIG_IGN, which the command would inherit.
    before = signal.signal(signal.SIGINT, ignore)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _collect(connection: socket.socket, observed: Observed) -> None:
    events: dict[int, dict[str, Any]] = {}
    with contextlib.suppress(OSError), connection.makefile("rb") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):
                message = parse_json(line)
                if "event" in message:
                    events[message["number"]] = message["event"]
                elif "problem" in message:
                    observed.problems.append(message["problem"])
                else:
                    observed.about |= message
    observed.events = list(events.values())
