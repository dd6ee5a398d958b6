"""Forks: their setup and end, and the main loop of a fork server.

Fork servers of an installed Hermes also run this module, so it uses only the standard library and relative imports.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from .isolation.kernel import end_with_parent, peer_user

_BLOCK = 1 << 16
_DESCRIPTORS = 3


def serve_forks(
    control: socket.socket,
    run: Callable[..., object],
    handle: Callable[[Mapping[str, Any]], object],
    patience: Callable[[], float] | None = None,
) -> None:
    """Fork a child for each request of a connection until the connection is closed, which ends its children.

    Each request is a line of JSON. ``{"fork": config}`` comes with file descriptors, and is answered with
    ``{"pid": …}`` once the child leads a process group; ``{"ended": pid, "status": …}`` follows when the child has
    ended. Other requests are answered with ``{}`` immediately. This process must not have other threads; on Linux, its
    children end with it.

    Args:
        control: The connection; with `patience`, a socket that listens for connections of this user.
        run: Called in the child with the configuration and the file descriptors.
        handle: Called in this process with each request, before the fork.
        patience: Returns the seconds without a connection after which the loop ends.
    """
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _ignore_signal)
    listening = [control] if patience else []
    connections = [] if patience else [control]
    children: dict[int, socket.socket] = {}
    while listening or connections:
        limit = None if connections or patience is None else patience()
        watched: list[int | socket.socket] = [woken, *listening, *connections]
        ready, _, _ = select.select(watched, [], [], limit)
        if not ready:
            return
        if woken in ready:
            os.read(woken, _BLOCK)
            for pid, status in _collect(children):
                _send(children.pop(pid), {"ended": pid, "status": status})
            continue
        chosen = next(one for one in (*listening, *connections) if one in ready)
        if chosen in listening:
            connections += _accept(control)
        elif (received := _receive(chosen)) is None:
            connections.remove(chosen)
            chosen.close()
            for pid in [pid for pid, connection in children.items() if connection is chosen]:
                kill_group(pid)
        else:
            request, descriptors = received
            if "fork" not in request:
                _send(chosen, {})
            handle(request)
            if "fork" in request:
                own = [woken, waking, *(one.fileno() for one in (*listening, *connections))]
                pid = _fork(run, request["fork"], descriptors, own)
                children[pid] = chosen
                _send(chosen, {"pid": pid})


def _accept(listening: socket.socket) -> list[socket.socket]:
    """Accept a connection, and close it if it comes from another user."""
    connection, _ = listening.accept()
    if peer_user(connection) == os.getuid():
        return [connection]
    connection.close()
    return []


def _ignore_signal(_: int, __: FrameType | None) -> None:
    """Do nothing; Python writes signals to the wakeup descriptor only if they have a handler."""


def _receive(control: socket.socket) -> tuple[Any, list[int]] | None:
    """Receive a request and its file descriptors; None if the connection is closed.

    Clients wait for the answer before the next request, so a read never contains parts of two requests.
    """
    try:
        block, descriptors, _, _ = socket.recv_fds(control, _BLOCK, _DESCRIPTORS)
        line = bytearray(block)
        while block and not line.endswith(b"\n"):
            block = control.recv(_BLOCK)
            line += block
    except ConnectionError:
        return None
    return (json.loads(line), descriptors) if block else None


def _send(control: socket.socket, message: Mapping[str, Any]) -> None:
    # If the other side has ended, the next read notices it.
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(message).encode() + b"\n")


def _collect(children: Iterable[int]) -> Generator[tuple[int, int]]:
    """Yield the children that have ended, with their exit statuses, negative for a signal."""
    for pid in tuple(children):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            yield pid, os.waitstatus_to_exitcode(status)


def _fork(run: Callable[..., object], config: Any, descriptors: Sequence[int], own: Sequence[int]) -> int:
    """Start a child, and return its process ID once it leads a process group, so that the group can be killed."""
    leads, leading = os.pipe()

    def begin() -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        end_with_parent(signal.SIGKILL)
        os.setsid()
        for descriptor in (leads, leading, *own):
            os.close(descriptor)
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        run(config, *descriptors)

    pid = os.fork()
    if not pid:
        call_and_exit(begin)
    for descriptor in (leading, *descriptors):
        os.close(descriptor)
    os.read(leads, 1)
    os.close(leads)
    return pid


def call_and_exit(function: Callable[[], object], failed: int = 1) -> NoReturn:
    """Call a function, and exit with Python's status for its outcome, or `failed` after an exception.

    Threads and exit handlers of untrusted code do not delay the exit.
    """
    status = failed
    try:
        function()
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status & 255)


def take_streams(stdout: int, stderr: int, channel: int) -> None:
    """Replace the standard streams, with empty input, and close all other file descriptors except `channel`."""
    with open(os.devnull, "rb") as empty:  # noqa: PTH123
        os.dup2(empty.fileno(), 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.closerange(3, channel)
    os.closerange(channel + 1, os.sysconf("SC_OPEN_MAX"))


def enter_environment(environment: Mapping[str, str], cwd: str | Path) -> None:
    """Replace the environment and working directory of this process, and reset values that Python has cached."""
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode |= bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    time.tzset()
    tempfile.tempdir = None
    os.chdir(cwd)


@contextlib.contextmanager
def interrupts_deferred() -> Generator[None]:
    """Defer a `KeyboardInterrupt` to the end of the ``with`` block, so that started processes can be cleaned up.

    The signal is not blocked, because child processes would inherit the mask.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    frames: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: frames.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if frames:
            handler(signal.SIGINT, frames[0])


def reap(pid: int, patience: float) -> int:
    """Wait `patience` seconds for a child to exit, and kill the process group that it leads.

    Returns:
        The exit status, negative for a signal.
    """
    deadline = time.monotonic() + patience
    done, status = os.waitpid(pid, os.WNOHANG)
    while not done and time.monotonic() < deadline:
        time.sleep(0.001)
        done, status = os.waitpid(pid, os.WNOHANG)
    kill_group(pid)
    if not done:
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def kill_group(leader: int) -> None:
    """Kill a process group, if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
