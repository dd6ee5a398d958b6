"""Run a command of the user with the recorder of `attached` in its Python, and collect the recorded events."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
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
from hermes_sdk.hosts.installed.launchers import read_place
from hermes_sdk.hosts.interface.values import Observed

_ATTACHED = Path(__file__).parent / "attached"
_PATH = _ATTACHED / "path"
_VARIABLE = "HERMES_SDK_RECORDER"
_FIRST_LINE = 1024
_IGNORES_VARIABLES = re.compile(rb"\s-[A-Za-z]*[IE]\b|PYTHONPATH")


def run(command: Sequence[str], *, python: Path | None = None, http: bool = False) -> Observed:
    """Run a command in the terminal of this process until it ends, and return the recording.

    Args:
        command: The program (a name on PATH, or a path) and its arguments; with `python`, only the arguments of Hermes.
        python: The Python of the Hermes to run.
        http: Whether to also record the HTTP requests of plugins.

    Raises:
        UsageError: The program does not exist or cannot be started.
    """
    started = [*_start_main(python, []), *command] if python else [*_start(command[0]), *command[1:]]
    ours, theirs = socket.socketpair()
    observed = Observed()
    reader = threading.Thread(target=_collect, args=(ours, observed))
    with ours:
        with theirs, _interrupts_left():
            process = _open(started, _environment(theirs.fileno(), http), theirs.fileno())
            theirs.close()
            reader.start()
            status = process.wait()
        # A child process of the host may keep the connection open.
        with contextlib.suppress(OSError):
            ours.shutdown(socket.SHUT_RD)
        reader.join()
    observed.status = status if status >= 0 else 128 - status
    observed.events.sort(key=lambda event: event["t"])
    return observed


def _start(name: str) -> list[str]:
    """Return the command that starts a program with the recorder.

    For a Python script, it runs the interpreter of the shebang with the same flags. For a wrapper that clears
    environment variables, it runs Hermes directly in the wrapper's Python. Other programs load the recorder through
    ``PYTHONPATH``.
    """
    program = shutil.which(name)
    if program is None:
        raise UsageError(f"the program {name!r} was not found", fix="Give the path of your hermes program.")
    with Path(program).open("rb") as file:
        first = file.readline(_FIRST_LINE)
        rest = file.read(1 << 20)
    interpreter = shlex.split(first[2:].decode(errors="replace")) if first.startswith(b"#!") else []
    if any(Path(part).name.startswith("python") for part in interpreter):
        return [*interpreter, *_run_first(program, [], is_script=True)]
    launch = read_place(Path(program)) if interpreter and _IGNORES_VARIABLES.search(rest) else None
    if launch and launch.pythons:
        return _start_main(launch.pythons[0], [*map(str, launch.roots)], program)
    return [program]


def _start_main(python: Path, roots: list[str], program: str = "hermes") -> list[str]:
    return [str(python), "-I", *_run_first(program, roots, is_script=False)]


def _run_first(program: str, roots: list[str], *, is_script: bool) -> list[str]:
    started = {"program": program, "roots": roots, "is_script": is_script}
    return [str(_ATTACHED / "start.py"), json.dumps(started)]


def _open(command: Sequence[str], environment: Mapping[str, str], descriptor: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, env=environment, pass_fds=[descriptor])
    except OSError as error:
        raise UsageError(
            f"{command[0]} cannot be started: {error.strerror}",
            fix="Name the Python of your Hermes: hermes-sdk record --python PATH … -- chat",
        ) from None


def _environment(descriptor: int, http: bool) -> Mapping[str, str]:
    path = os.pathsep.join(filter(None, [str(_PATH), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, _VARIABLE: f"{descriptor}{' http' if http else ''}"}


@contextlib.contextmanager
def _interrupts_left() -> Generator[None]:
    """Ignore Ctrl-C within the context, because the command in the same terminal handles it."""

    def ignore(_: int, __: FrameType | None) -> None:
        pass

    # Not SIG_IGN, because the command would inherit it.
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
