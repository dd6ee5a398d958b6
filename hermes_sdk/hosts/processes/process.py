"""Child processes for untrusted code: a scrubbed environment, a timeout, and a result separate from the output."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from hermes_sdk.hosts.processes import answers, isolation
from hermes_sdk.hosts.processes.forks import interrupts_deferred, kill_group
from hermes_sdk.journal import scratch_directory

OUTPUT_LIMIT = 1_000_000
"""Maximum size of a stored output stream in bytes; the rest is counted and dropped."""

_LAYERS_TIME_LIMIT = 10.0

Ask = Callable[[], Any]
Answer = Callable[[Any], None]

_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "USER", "LOGNAME", "SHELL", "LD_LIBRARY_PATH")


class Isolated(NamedTuple):
    """Isolation of a child process.

    Attributes:
        writable: The directories in which it can change files; it gets copies of them if the machine supports that.
        seconds: The limit of its CPU time.
        required: The layers of `isolation` that are required to run untrusted code.
        readable: Additional paths that it can read, such as its project; `isolation` adds programs and packages.
        network: Whether it keeps access to the machine's network.
    """

    writable: Sequence[str]
    seconds: float
    required: Sequence[str] = ()
    readable: Sequence[str] = ()
    network: bool = False


@dataclass(frozen=True)
class Finished:
    """Result and output of a child process that has ended.

    Attributes:
        ended: ``answered`` if it sent a result. Without a result, ``exited``, ``signal`` if a signal ended it, or
            ``time limit``.
        status: The exit status, or the number of the signal.
        value: The result, parsed from JSON, or None.
        stdout: The output, at most `OUTPUT_LIMIT` bytes, like `stderr`.
        layers: The layers of `isolation` that it had entered.
    """

    ended: Literal["answered", "exited", "signal", "time limit"]
    status: int
    value: Any
    stdout: str
    stderr: str
    layers: tuple[str, ...] = ()


def child_environment(home: Path, temporary: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a child: a short list of variables that every program needs.

    Keys, tokens, proxies, ``HERMES_*`` and ``PYTHON*`` are not passed on. ``NO_PROXY`` makes local connections bypass
    the system's proxy.
    """
    inherited = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    fixed = {"HOME": str(home), "TMPDIR": str(temporary), "TZ": "UTC", "NO_COLOR": "1", "TERM": "dumb"}
    extra = extra or {}
    direct = {name: ",".join(filter(None, [extra.get(name), "127.0.0.1"])) for name in ("NO_PROXY", "no_proxy")}
    return {**inherited, **fixed, **extra, **direct}


def python_command(module: str) -> list[str]:
    """Return the command that runs ``main()`` of a module in another Python with the import path of this process."""
    path = [entry or str(Path.cwd()) for entry in sys.path]
    # Garbage collection during the imports would find nothing and take a tenth of the time.
    imported = f"gc.disable(); from {module} import main; gc.freeze(); gc.enable()"
    code = f"import gc, sys; sys.path[:] = {path!r}; {imported}; main()"
    return [sys.executable, "-I", "-c", code]


def start_connected(
    command: Sequence[str], environment: Mapping[str, str], cwd: Path, stderr: int | None = None
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a program with a connection, whose file descriptor is appended to the arguments, and return both."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [*command, str(theirs.fileno())],
            env=dict(environment),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return process, ours


def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: Path,
    time_limit: float,
    request: Any = None,
    isolated: Isolated | None = None,
    files: Sequence[int] = (),
) -> Finished:
    """Run a program until it ends; see `running`.

    Raises:
        UnavailableError: A required layer of the isolation is missing.
        HermesSdkError: The program did not send a valid answer.
    """
    with running(
        argv,
        environment=environment,
        cwd=cwd,
        time_limit=time_limit,
        request=request,
        isolated=isolated,
        files=files,
    ) as finish:
        return finish()


def running(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: Path,
    time_limit: float,
    request: Any = None,
    isolated: Isolated | None = None,
    files: Sequence[int] = (),
) -> AbstractContextManager[Callable[[], Finished]]:
    """Run a program during a ``with`` block, in its own process group, which is killed at the end of the block.

    If there is a request (any JSON value except None), the number of a file descriptor is appended to the arguments;
    `serve` isolates the process and answers on it. Standard input is empty. The program is killed `time_limit` seconds
    after its start. It inherits the file descriptors `files`.

    Returns:
        A context manager that returns a function, which waits until the program ends and raises as `run` does.
    """

    def start(stdout: int, stderr: int, channel: int) -> subprocess.Popen[bytes]:
        passed = () if request is None else (channel,)
        return subprocess.Popen(
            [*argv, *map(str, passed)],
            env=dict(environment),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            pass_fds=(*passed, *files),
            start_new_session=True,
        )

    return conversation(start, time_limit=time_limit, request=request, isolated=isolated)


class Child(Protocol):
    """A process that leads its process group."""

    @property
    def pid(self) -> int:
        """The process ID, which is also the ID of its process group."""
        ...

    def wait(self) -> int:
        """Wait until the process ends, and return the exit status, negative for a signal."""
        ...


@contextlib.contextmanager
def conversation(
    start: Callable[[int, int, int], Child], *, time_limit: float, request: Any, isolated: Isolated | None
) -> Generator[Callable[[], Finished]]:
    """Start a child and send it a request; see `running`.

    Args:
        start: Starts the child with file descriptors for standard output, standard error, and requests, which this
            function closes afterwards.
    """
    with contextlib.ExitStack() as stack:
        ours, theirs = socket.socketpair()
        stack.enter_context(ours)
        stdout, stderr = stack.enter_context(_Pipe()), stack.enter_context(_Pipe())
        with interrupts_deferred(), theirs:
            child = start(stdout.writing, stderr.writing, theirs.fileno())
            stack.callback(child.wait)
            stack.callback(kill_group, child.pid)
        watch = _Watch(child, time_limit)
        stack.callback(watch.cancel)
        output, errors = stdout.drain(), stderr.drain()
        answer = Drain(ours.fileno(), answers.LIMIT + 1)
        if request is not None:
            # If the child has ended, `finish` reports it.
            with contextlib.suppress(ConnectionError):
                ours.sendall(json.dumps([isolated, request]).encode() + b"\n")

        def finish() -> Finished:
            in_time = watch.wait()
            kill_group(child.pid)
            returncode = child.wait()
            layers, value = answers.read(answer.content(), isolated is not None, isolated.required if isolated else ())
            ended, status = _describe_end(returncode, in_time, value)
            return Finished(ended, status, value, output.text(), errors.text(), layers)

        yield finish


def serve(function: Callable[[Any], Any], late: Callable[[Any], Any] | None = None) -> None:
    """Answer the request of a parent that called `run`, in the child, after entering the requested isolation.

    Args:
        function: Takes the request and returns the result; both are passed as JSON.
        late: Called for the result if the function exceeds the ``time_limit`` of the request, in seconds; the process
            then ends.
    """

    def answer_once(ask: Ask, answer: Answer) -> None:
        request = ask()
        first = threading.Lock()

        def give_up(late: Callable[[Any], Any]) -> None:
            if first.acquire(blocking=False):
                answer(late(request))
                os._exit(0)

        if late is not None:
            watch = threading.Timer(request["time_limit"], give_up, (late,))
            watch.daemon = True
            watch.start()
        result = function(request)
        # After a timeout, this blocks while the other thread ends the process.
        first.acquire()
        answer(result)

    serve_session(answer_once)


def serve_session(session: Callable[[Ask, Answer], None]) -> None:
    """Answer requests of a parent, in the child, after entering the requested isolation.

    Args:
        session: Called with a function that waits for the next request, which is None at the end, and with a function
            that sends an answer.
    """
    number = int(sys.argv.pop())
    os.set_inheritable(number, False)
    with socket.socket(fileno=number) as channel, channel.makefile("rb") as lines:
        isolated, first = json.loads(lines.readline())
        # Isolate this process before any other thread starts, because isolation applies to the calling thread.
        if isolated and not enter_isolation(Isolated(*isolated), channel):
            return
        requests = itertools.chain([first], map(json.loads, lines))
        session(lambda: next(requests, None), partial(_send, channel))


def find_layers() -> tuple[str, ...]:
    """Return the layers that this machine supports, by entering them in a child process."""
    with scratch_directory() as scratch:
        return run(
            python_command(__name__),
            environment=child_environment(scratch, scratch),
            cwd=scratch,
            time_limit=_LAYERS_TIME_LIMIT,
            request=True,
            isolated=Isolated([str(scratch)], _LAYERS_TIME_LIMIT),
        ).layers


def main() -> None:
    """Serve `find_layers`, in the child."""
    serve(bool)


def enter_isolation(isolated: Isolated, channel: socket.socket) -> bool:
    """Enter the isolation, send the layers to the parent, and return whether they include the required layers."""
    layers = isolation.enter(isolated.writable, isolated.seconds, isolated.readable, network=isolated.network)
    _send(channel, layers)
    return set(isolated.required) <= set(layers)


def _send(channel: socket.socket, result: Any) -> None:
    channel.sendall(json.dumps(result).encode() + b"\n")


class _Pipe:
    """A pipe, as a context manager that closes both ends."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reading)
        if self.writing >= 0:
            os.close(self.writing)

    def drain(self) -> Drain:
        """Close the writing end, which the child has, and start reading."""
        os.close(self.writing)
        self.writing = -1
        return Drain(self._reading)


class Drain:
    """Reader thread of a file descriptor, so that the writer never blocks; stores a limited part."""

    def __init__(self, descriptor: int, limit: int = OUTPUT_LIMIT) -> None:
        self._descriptor = os.dup(descriptor)
        self._limit = limit
        self._kept = bytearray()
        self._dropped = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with open(self._descriptor, "rb", buffering=0) as stream, contextlib.suppress(OSError):  # noqa: PTH123
            while block := stream.read(65536):
                room = max(self._limit - len(self._kept), 0)
                self._kept += block[:room]
                self._dropped += len(block[room:])

    def content(self, patience: float = 1.0) -> bytes:
        """Return the stored bytes at the end of the stream; wait at most `patience` seconds for it."""
        self._thread.join(patience)
        return bytes(self._kept)

    def text(self, patience: float = 1.0) -> str:
        """Return the stored bytes as text (see `content`), with a note about dropped bytes."""
        text = self.content(patience).decode(errors="replace")
        return f"{text}\n[{self._dropped} more bytes were dropped]" if self._dropped else text


class _Watch:
    """Watcher that waits for a child without polling, and kills it after a timeout."""

    def __init__(self, child: Child, time_limit: float) -> None:
        self._child = child
        self._in_time = True
        self._waiter = threading.Thread(target=child.wait, daemon=True)
        self._waiter.start()
        self._timer = threading.Timer(time_limit, self._end)
        self._timer.daemon = True
        self._timer.start()

    def _end(self) -> None:
        if self._waiter.is_alive():
            self._in_time = False
            kill_group(self._child.pid)

    def wait(self) -> bool:
        """Wait until the child ends, and return whether it ended in time."""
        self._waiter.join()
        return self._in_time

    def cancel(self) -> None:
        """Cancel the timeout."""
        self._timer.cancel()


_End = Literal["answered", "exited", "signal", "time limit"]


def _describe_end(returncode: int, in_time: bool, value: Any) -> tuple[_End, int]:
    if value is not None:
        return "answered", max(returncode, 0)
    if not in_time:
        return "time limit", signal.SIGKILL
    return ("signal", -returncode) if returncode < 0 else ("exited", returncode)
