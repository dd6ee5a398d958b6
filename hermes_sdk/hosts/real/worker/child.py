"""Process of one host: set up a fork of the server, and answer requests."""

from __future__ import annotations

import contextlib
import datetime
import faulthandler
import json
import os
import site
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from ...in_worker.network_guard import LoopbackOnly
from ...in_worker.recording import Recording
from ...processes.forks import enter_environment
from ...processes.isolation import enter
from . import module_code
from .paths import is_plugin
from .session import Session, UsageProblem


def as_json(value: Any, within: tuple[int, ...] = ()) -> Any:
    """Convert a value to JSON values: tuples become lists, and dates become text.

    Everything else becomes ``{"__repr__": "<its repr>"}``, so that the reader can tell it from a real mapping; so does
    a container that contains itself. `within` holds the ids of the containers around the value.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    inside = (*within, id(value))
    if isinstance(value, dict) and id(value) not in within:
        return {_key(key): as_json(item, inside) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and id(value) not in within:
        return [as_json(item, inside) for item in value]
    if isinstance(value, datetime.date):
        return value.isoformat()
    try:
        return {"__repr__": repr(value)}
    except Exception:
        return {"__repr__": object.__repr__(value)}


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as one line of JSON."""
    return json.dumps(message).encode("ascii") + b"\n"


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(key) if isinstance(key, (bool, int, float)) else str(key)


# Seconds after a timeout until Python prints all tracebacks, for code that blocks all threads.
_LAST_WORD = 0.5

_STDERR = 2


@contextlib.contextmanager
def call_when_late(limit: float, late: Callable[[], None]) -> Generator[None]:
    """Call `late` in another thread if the context is still open after `limit` seconds."""
    timer = threading.Timer(limit, late)
    timer.daemon = True
    timer.start()
    faulthandler.dump_traceback_later(limit + _LAST_WORD, file=_STDERR)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        timer.cancel()


def current_line() -> str:
    """Return the line of plugin code in the main thread, such as `` at plugins/notes/__init__.py:12``, or ``""``."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
    at = frames.get(threading.main_thread().ident or 0)
    while at is not None and not is_plugin(at.f_code.co_filename):
        at = at.f_back
    return f" at {at.f_code.co_filename}:{at.f_lineno}" if at else ""


def run(channel: socket.socket, output: int, config: dict[str, Any], guard: LoopbackOnly) -> None:
    """Run a host until the other side closes the channel.

    Args:
        channel: The connection for requests and answers, one JSON object per line.
        output: The file descriptor for standard output and standard error.
        config: ``home``, ``cwd``, ``environment``, ``path`` (directories to append to ``sys.path``), ``record``
            (whether to record calls of callbacks), ``isolated`` (null, or the arguments of `isolation.enter`).
        guard: Blocks connections to other machines; removed if requests of plugins are to be sent and recorded.
    """
    server_folder = Path.cwd()
    become(config)
    # Isolate this process before any other thread starts, because isolation applies to the calling thread.
    layers = enter(*isolated) if (isolated := config["isolated"]) else ()
    os.dup2(output, 1)
    os.dup2(output, 2)
    answers = _Answers(channel)
    session = Session(Path(config["home"]), Path(config["cwd"]), answers.begin, layers, guard, record=config["record"])
    with channel.makefile("rb") as lines:
        for line in lines:
            request = json.loads(line)
            answers.doing = request["doing"]
            # Record the calls, so that a timeout can name the running callback.
            with (
                call_when_late(request["time_limit"], lambda: answers.late(session.recording)),
                session.recording.section(),
            ):
                answer = _answer(session, request["method"], request["arguments"])
            if request["method"] == "finish":
                module_code.list_new(server_folder)
            answers.send(answer)


class _Answers:
    """Sender of messages: notes about the running operation, and answers. It is thread-safe."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.doing = ""

    def begin(self, doing: str) -> None:
        """Send a note about the operation that starts, so that a crash can be attributed to it."""
        self.doing = doing
        self.send({"doing": doing})

    def late(self, recording: Recording) -> None:
        """Report the callback that is running after the timeout."""
        self.send({"late": recording.describe_running() or f"{self.doing}{current_line()}"})

    def send(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._channel.sendall(encode(message))


def become(config: dict[str, Any]) -> None:
    """Set the environment, working directory and search path of one host."""
    enter_environment(config["environment"], config["cwd"])
    site.USER_BASE = site.USER_SITE = None
    site.getusersitepackages()
    if "rich" in sys.modules:
        vars(sys.modules["rich"])["_IMPORT_CWD"] = config["cwd"]
    # Append the paths, as for installed packages: a project's own `tools` or `utils` must not shadow the host's.
    sys.path.extend(config["path"])


def _answer(session: Session, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": as_json(getattr(session, method)(**arguments))}
    except UsageProblem as problem:
        return {"usage": str(problem)}
    except SystemExit as stop:
        return {"exit": as_json(stop.code)}
    except BaseException as error:
        return {"error": "".join(traceback.format_exception_only(error)).strip(), "traceback": traceback.format_exc()}
