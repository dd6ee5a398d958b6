"""Recording of side effects: files, contacted addresses, environment variables and log lines."""

from __future__ import annotations

import builtins
import contextlib
import io
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any
from unittest import mock

from .base import Broken, demand
from .time_limit import find_place_of_thread

_CACHES = (".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", "__pycache__")
_OF_TOOLS = frozenset({".git", ".venv", "node_modules", *_CACHES})


def list_files(folders: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Return the files in folders by path, each with its size and modification time.

    Args:
        folders: The folders to search; caches and files of development tools are skipped.
    """
    found: dict[str, tuple[int, int]] = {}
    for folder in folders:
        for place, names, files_there in os.walk(folder):
            names[:] = [name for name in names if name not in _OF_TOOLS]
            for name in files_there:
                with contextlib.suppress(OSError):
                    facts = Path(place, name).lstat()
                    found[str(Path(place, name))] = facts.st_size, facts.st_mtime_ns
    return found


@contextlib.contextmanager
def record_addresses(*, here: bool = False) -> Generator[list[str]]:
    """Record contacted addresses of other machines, whether they can be reached or not.

    Args:
        here: Whether to record addresses of this machine too.
    """
    asked: list[str] = []

    def watch(original: Callable[..., Any], position: int) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            target = args[position] if len(args) > position else ""
            host = target[0] if isinstance(target, tuple) and target else target
            if isinstance(host, str) and host and (here or not _is_here(host)):
                asked.append(host)
            return original(*args, **kwargs)

        return call

    with (
        mock.patch.object(socket, "getaddrinfo", watch(socket.getaddrinfo, 0)),
        mock.patch.object(socket.socket, "connect", watch(socket.socket.connect, 1)),
        mock.patch.object(socket.socket, "connect_ex", watch(socket.socket.connect_ex, 1)),
    ):
        yield asked


@contextlib.contextmanager
def record_opened() -> Generator[list[str]]:
    """Record the paths of files that are opened for reading, including SQLite databases."""
    import sqlite3

    opened: list[str] = []

    def watch(original: Callable[..., Any], writes: Callable[[Any], bool]) -> Callable[..., Any]:
        def call(file: Any, how: Any = None, *args: Any, **kwargs: Any) -> Any:
            given = () if how is None else (how, *args)
            if isinstance(file, (str, os.PathLike)) and not writes(how or kwargs.get("mode")):
                opened.append(os.path.realpath(file))
            return original(file, *given, **kwargs)

        return call

    read_file = watch(open, lambda mode: mode is not None and "r" not in mode and "+" not in mode)
    with (
        mock.patch.object(builtins, "open", read_file),
        mock.patch.object(io, "open", read_file),
        mock.patch.object(os, "open", watch(os.open, lambda flags: bool(flags and flags & os.O_WRONLY))),
        mock.patch.object(sqlite3, "connect", watch(sqlite3.connect, lambda _: False)),
    ):
        yield opened


@contextlib.contextmanager
def record_variables(plugin: Path) -> Generator[dict[str, str]]:
    """Record the environment variables that are read, each with the line of the plugin, if it reads them.

    Args:
        plugin: The plugin's directory.
    """
    read: dict[str, str] = {}
    kind = type(os.environ)
    get = kind.__getitem__

    def watch_read(variables: Any, name: str) -> str:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        while frame.f_back is not None and not frame.f_code.co_filename.startswith(f"{plugin}/"):
            frame = frame.f_back
        read[name] = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame.f_back is not None else ""
        return get(variables, name)

    with mock.patch.object(kind, "__getitem__", watch_read):
        yield read


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter("%(name)s: %(message)s").format(record))


@contextlib.contextmanager
def capture_log() -> Generator[list[str]]:
    """Capture log lines of every level, with tracebacks."""
    root, log = logging.getLogger(), _Log()
    level = root.level
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    try:
        yield log.lines
    finally:
        root.removeHandler(log)
        root.setLevel(level)


def demand_no_secret(secrets: Iterable[str], lines: Iterable[str]) -> None:
    """Raise `Broken` if a line contains a secret."""
    for secret in secrets:
        for line in lines:
            demand(secret not in line, f"a secret is in {line.replace(secret, '…')!r}")


def _is_here(host: str) -> bool:
    return host in ("localhost", "::1", "0.0.0.0") or host.startswith(("127.", "/"))


@contextlib.contextmanager
def slow_backends(home: Path, scale: float) -> Generator[Callable[[], None]]:
    """Simulate backends that hang: SQLite databases that can be locked, and addresses that do not answer.

    The timeouts of a plugin, and `time.sleep`, are scaled like the host's own limits.

    Args:
        home: Directory with the databases.
        scale: Duration of a second.

    Yields:
        A function that locks the existing databases.
    """
    import sqlite3

    connect, sleep = sqlite3.connect, time.sleep
    locks: list[sqlite3.Connection] = []

    def refuse_to_answer(database: Any, timeout: float = 5.0, *args: Any, **kwargs: Any) -> Any:
        return connect(database, timeout * scale, *args, **kwargs)

    def hang(connection: socket.socket, *_: Any) -> None:
        patience = connection.gettimeout()
        sleep((60.0 if patience is None else patience) * scale)
        raise TimeoutError("the backend does not answer")

    def hurry(seconds: float) -> None:
        sleep(seconds * scale)

    def lock() -> None:
        for file in home.rglob("*"):
            if file.is_file() and _is_database(file):
                held = connect(file, 0, isolation_level=None, check_same_thread=False)
                locks.append(held)
                with contextlib.suppress(sqlite3.Error):
                    held.execute("BEGIN EXCLUSIVE")

    with (
        mock.patch.object(sqlite3, "connect", refuse_to_answer),
        mock.patch.object(socket.socket, "connect", hang),
        mock.patch.object(time, "sleep", hurry),
    ):
        try:
            yield lock
        finally:
            for held in locks:
                held.close()


def _is_database(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(16) == b"SQLite format 3\0"


def within(seconds: float, what: str, work: Callable[[], Any], plugin: Path, *, scale: float = 1.0) -> None:
    """Raise `Broken` if a function does not return in time; ignore its exceptions.

    Args:
        seconds: The time limit.
        what: Name of the function, for the message.
        work: The function. It runs on a daemon thread, which continues after the limit.
        plugin: The plugin's directory, to find the current line of its code.
        scale: Duration of a second.
    """

    def quietly() -> None:
        with contextlib.suppress(Exception):
            work()

    thread = threading.Thread(target=quietly, daemon=True)
    thread.start()
    thread.join(seconds * scale)
    if thread.is_alive():
        raise Broken(f"{what} has not returned after {seconds:g} s{find_place_of_thread(plugin, thread)}")
