"""Forks: what they take on, how they end, and the loop of a server that makes them.

Fork servers of an installed Hermes run it too, so it needs the standard library only, and its imports are relative.
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
    """Fork a child for each request of a connection until the other side closes it, which ends its children.

    Each request is a line of JSON. ``{"fork": config}`` comes with descriptors, and is answered with ``{"pid": …}``
    once the child leads a process group; ``{"ended": pid, "status": …}`` follows when it has ended. Any other request
    is answered with ``{}`` at once. This process may have no other thread; on Linux, its children end with it.

    Args:
        control: The connection; with `patience`, a socket that listens for connections of this user.
        run: Called in the child with the configuration and the descriptors.
        handle: Called here with each request, before the fork.
        patience: Returns the seconds after which the loop ends when nobody is connected.
    """
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake_only)
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
    """Accept a connection, unless it comes from another user."""
    connection, _ = listening.accept()
    if peer_user(connection) == os.getuid():
        return [connection]
    connection.close()
    return []


def _wake_only(_: int, __: FrameType | None) -> None:
    """Do nothing: the signal was written to the wakeup descriptor, which an ignored one is not."""


def _receive(control: socket.socket) -> tuple[Any, list[int]] | None:
    """Receive a request and its descriptors; None when the other side has ended. Each is answered before the next."""
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
    # The next request shows that the other side has ended.
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(message).encode() + b"\n")


def _collect(children: Iterable[int]) -> Generator[tuple[int, int]]:
    """Yield each child that has ended with its exit status, negative for a signal."""
    for pid in tuple(children):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            yield pid, os.waitstatus_to_exitcode(status)


def _fork(run: Callable[..., object], config: Any, descriptors: Sequence[int], own: Sequence[int]) -> int:
    """Start a child, and return its number once it leads a group that can be ended."""
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
    """Call a function and end this process with the status that Python would have, `failed` after an exception.

    Threads and exit handlers of foreign code, which may never end, are left behind.
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


def take_streams(stdout: int, stderr: int, kept: int) -> None:
    """Take an empty input and the given outputs, and close what else was inherited, but one descriptor."""
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def enter_environment(environment: Mapping[str, str], cwd: str | Path) -> None:
    """Replace the environment and the working directory of this process, and what Python has cached of them."""
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode |= bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    time.tzset()
    tempfile.tempdir = None
    os.chdir(cwd)


@contextlib.contextmanager
def interrupts_deferred() -> Generator[None]:
    """Raise a `KeyboardInterrupt` at the end of the ``with`` block only, when somebody knows what has to be ended.

    The signal is not blocked, since a child process would inherit that.
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
    """End a child with its process group, which it leads, and return its exit status, negative for a signal.

    It gets `patience` seconds to end by itself.
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
    """Kill a process group; a group that is gone already is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
