"""Child processes for foreign code: a scrubbed environment, a time limit, and a result separate from the output."""

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
"""How many bytes of a stream are kept; the rest is counted and dropped."""

_LAYERS_TIME_LIMIT = 10.0

Ask = Callable[[], Any]
Answer = Callable[[Any], None]

_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "USER", "LOGNAME", "SHELL", "LD_LIBRARY_PATH")


class Isolated(NamedTuple):
    """Isolation of a child process.

    Attributes:
        writable: The directories in which it may change files; it gets copies of them where the machine can do that.
        seconds: The CPU time.
        required: The layers of `isolation` without which no code of others may run.
        readable: What it may read besides, such as its project; `isolation` knows programs and packages.
    """

    writable: Sequence[str]
    seconds: float
    required: Sequence[str] = ()
    readable: Sequence[str] = ()
    network: bool = False


@dataclass(frozen=True)
class Finished:
    """End of a child process, and its output.

    Attributes:
        ended: ``answered``: it sent its result. Without a result: ``exited`` by itself, killed by a ``signal``,
            or stopped at the ``time limit``.
        status: The exit status; the number of the signal when a signal ended it.
        value: The result, parsed from JSON; None when there is none.
        stdout: Its output, at most `OUTPUT_LIMIT` bytes; so is `stderr`.
        layers: The layers of `isolation` that it had entered.
    """

    ended: Literal["answered", "exited", "signal", "time limit"]
    status: int
    value: Any
    stdout: str
    stderr: str
    layers: tuple[str, ...] = ()


def child_environment(home: Path, temporary: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a child: what every program needs, and nothing of the user's.

    Keys, tokens, proxies, ``HERMES_*`` and ``PYTHON*`` are dropped, since only a short list is passed on. No proxy of
    the system comes between a child and what listens on this machine.
    """
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    fixed = {"HOME": str(home), "TMPDIR": str(temporary), "TZ": "UTC", "NO_COLOR": "1", "TERM": "dumb"}
    given = extra or {}
    direct = {name: ",".join(filter(None, [given.get(name), "127.0.0.1"])) for name in ("NO_PROXY", "no_proxy")}
    return {**kept, **fixed, **given, **direct}


def python_command(module: str) -> list[str]:
    """Return the command that runs ``main()`` of a module in another Python with the import path of this one."""
    path = [entry or str(Path.cwd()) for entry in sys.path]
    # Looking for garbage in the imported modules, which stay, would take a tenth of the time.
    imported = f"gc.disable(); from {module} import main; gc.freeze(); gc.enable()"
    code = f"import gc, sys; sys.path[:] = {path!r}; {imported}; main()"
    return [sys.executable, "-I", "-c", code]


def start_connected(
    command: Sequence[str], environment: Mapping[str, str], cwd: Path, stderr: int | None = None
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a program with a connection, whose descriptor is appended to its arguments, and return both."""
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
    """Run a program to its end; see `running`.

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
    """Run a program during a ``with`` block, in a process group of its own that does not outlive the block.

    When there is a request, any JSON value but None, the number of a file descriptor is appended to the arguments;
    `serve` answers on it, and isolates its process before. Standard input is empty. The program is killed
    `time_limit` seconds after its start. It inherits the descriptors `files` under their numbers.

    Returns:
        A context manager, which gives what waits for the end of the program and raises as `run` does.
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
        """Its number, and that of its group."""
        ...

    def wait(self) -> int:
        """Wait for its end, and return the exit status, negative for a signal."""
        ...


@contextlib.contextmanager
def conversation(
    start: Callable[[int, int, int], Child], *, time_limit: float, request: Any, isolated: Isolated | None
) -> Generator[Callable[[], Finished]]:
    """Start a child and ask it; see `running`.

    Args:
        start: Takes the descriptors for its output, for its errors, and for the conversation, which are closed here
            when it returns.
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
        printed, complained = stdout.drain(), stderr.drain()
        answer = Drain(ours.fileno(), answers.LIMIT + 1)
        if request is not None:
            # The end of a child that does not read is reported below.
            with contextlib.suppress(ConnectionError):
                ours.sendall(json.dumps([isolated, request]).encode() + b"\n")

        def finish() -> Finished:
            in_time = watch.wait()
            kill_group(child.pid)
            returncode = child.wait()
            layers, value = answers.read(answer.kept(), isolated is not None, isolated.required if isolated else ())
            ended, status = _describe_end(returncode, in_time, value)
            return Finished(ended, status, value, printed.text(), complained.text(), layers)

        yield finish


def serve(function: Callable[[Any], Any], late: Callable[[Any], Any] | None = None) -> None:
    """Answer the request of the process that called `run`, in the child, isolated as it wants.

    Args:
        function: Takes the request and returns the result; both travel as JSON.
        late: Called instead when the function takes longer than the ``time_limit`` of the request, in seconds;
            the process then ends.
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
        # Blocks when it is too late, while the other thread ends the process.
        first.acquire()
        answer(result)

    serve_session(answer_once)


def serve_session(session: Callable[[Ask, Answer], None]) -> None:
    """Answer the requests of another process, in the child, isolated as it wants.

    Args:
        session: Called with a function that waits for the next request and returns it, None at the end, and with one
            that answers.
    """
    number = int(sys.argv.pop())
    os.set_inheritable(number, False)
    with socket.socket(fileno=number) as channel, channel.makefile("rb") as lines:
        isolated, first = json.loads(lines.readline())
        # Before there is another thread, which would stay outside.
        if isolated and not enter_isolation(Isolated(*isolated), channel):
            return
        requests = itertools.chain([first], map(json.loads, lines))
        session(lambda: next(requests, None), partial(_send, channel))


def find_layers() -> tuple[str, ...]:
    """Ask a child process which layers one enters on this machine, since one that died cannot tell."""
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
    """Answer the request of `find_layers`, in the child."""
    serve(bool)


def enter_isolation(isolated: Isolated, channel: socket.socket) -> bool:
    """Enter the isolation, tell the layers to the other side, and return whether the required ones are there."""
    layers = isolation.enter(isolated.writable, isolated.seconds, isolated.readable, network=isolated.network)
    _send(channel, layers)
    return set(isolated.required) <= set(layers)


def _send(channel: socket.socket, result: Any) -> None:
    channel.sendall(json.dumps(result).encode() + b"\n")


class _Pipe:
    """Both ends of a pipe, closed at the end."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reading)
        if self.writing >= 0:
            os.close(self.writing)

    def drain(self) -> Drain:
        """Leave writing to the child, and read."""
        os.close(self.writing)
        self.writing = -1
        return Drain(self._reading)


class Drain:
    """Reads a file descriptor to its end in a thread, so that the writer never waits, and keeps a bounded part."""

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

    def kept(self, patience: float = 1.0) -> bytes:
        """Return what was read once the writers are gone; writers outside the process group get `patience` seconds."""
        self._thread.join(patience)
        return bytes(self._kept)

    def text(self, patience: float = 1.0) -> str:
        """Return what was read, see `kept`, and how much was dropped."""
        text = self.kept(patience).decode(errors="replace")
        return f"{text}\n[{self._dropped} more bytes were dropped]" if self._dropped else text


class _Watch:
    """Waits for a child in a thread, since a wait with a time limit polls, and kills the child when it is late."""

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
        """Wait for the end of the child, and tell whether that came in time."""
        self._waiter.join()
        return self._in_time

    def cancel(self) -> None:
        """Forget the time limit."""
        self._timer.cancel()


_End = Literal["answered", "exited", "signal", "time limit"]


def _describe_end(returncode: int, in_time: bool, value: Any) -> tuple[_End, int]:
    if value is not None:
        return "answered", max(returncode, 0)
    if not in_time:
        return "time limit", signal.SIGKILL
    return ("signal", -returncode) if returncode < 0 else ("exited", returncode)
