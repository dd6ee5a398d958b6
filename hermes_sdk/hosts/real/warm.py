"""Servers that keep running between runs: one per host, which ends after five minutes without use.

They are only for code that runs with the author's rights. Isolated runs use separate servers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hermes_sdk import links
from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.files import write_file
from hermes_sdk.hosts.environments import Environment
from hermes_sdk.hosts.processes.fork_server import ForkServer
from hermes_sdk.hosts.processes.isolation.kernel import peer_user
from hermes_sdk.hosts.processes.isolation.readable import find_editable

IDLE_SECONDS = 300.0
MEMORY_LIMIT = 1 << 30
"""Memory in bytes; a server that uses more ends with its last run."""

_PATH_LIMIT = 104
"""Maximum length of the path of a Unix socket on macOS in bytes, including the null byte."""

_HOSTS = Path(__file__).parents[1]
_OWN_CODE = (_HOSTS / "real" / "worker", _HOSTS / "in_worker", _HOSTS / "processes")
_CODE = (".py", ".pth", ".so")
_STARTING_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH")
"""Variables that a process cannot change after its start."""
_OF_USERS = ("USER", "LOGNAME", "SHELL")


class Running(NamedTuple):
    """A server that keeps running between runs.

    Attributes:
        release: The release of its host.
        place: The environment of the host, or the path by which the user refers to their Hermes.
        pid: The process ID.
        seconds: The seconds since its start.
    """

    release: str
    place: Path
    pid: int
    seconds: float


def is_allowed(variables: Mapping[str, str], user: int) -> bool:
    """Return whether servers may keep running between runs: not in CI, and not for root."""
    return user != 0 and not variables.get("CI")


def find_folder() -> Path:
    """Return the directory of this user's servers; its path is short because the paths of sockets are limited."""
    return Path("/tmp") / f"hermes-sdk-servers-{os.getuid()}"


def connect(
    environment: Environment, command: Iterable[str], variables: Callable[[Path], Mapping[str, str]], folder: Path
) -> ForkServer:
    """Return a connection to the server of a host; start a server if none runs or the host has changed.

    Args:
        command: The command of the server; arguments for a server that keeps running are appended.
        variables: Returns the environment variables of a server in a directory.
        folder: See `find_folder`; it is created if necessary.

    Raises:
        OSError: The directory belongs to another user or others can access it, or the server cannot be started.
    """
    place = environment.borrowed.place if environment.borrowed else environment.python.parents[1]
    facts = {"release": environment.release, "place": str(place), "key": _make_key(environment)}
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    with _lock_folder(folder) as lock:
        slot = folder / _digest(facts["place"])
        if control := _join(slot):
            if _read_facts(slot) == facts:
                return ForkServer(control)
            _dismiss(control, slot)
        shutil.rmtree(slot, ignore_errors=True)
        return ForkServer(_start(slot, facts, [*command], variables(slot), lock))


def list_running(folder: Path) -> list[Running]:
    """Return the running servers."""
    with contextlib.suppress(OSError), _lock_folder(folder):
        return [running for slot in _list_slots(folder) for running in _describe(slot)]
    return []


def stop(folder: Path, release: str | None = None) -> list[Running]:
    """Kill the servers of one release or of all releases, even while they run tests, and return the servers."""
    stopped: list[Running] = []
    with contextlib.suppress(OSError), _lock_folder(folder):
        for slot in _list_slots(folder):
            for running in _describe(slot):
                if release in (None, running.release):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(running.pid, signal.SIGKILL)
                    shutil.rmtree(slot, ignore_errors=True)
                    stopped.append(running)
    return stopped


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Generator[Path]:
    """Lock the directory of servers against other clients and servers that are about to end.

    Raises:
        OSError: The directory does not exist, belongs to another user, or others can access it.
    """
    import fcntl

    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) != 0o700:
        raise PermissionError(f"{folder} is not a directory that only this user can enter")
    lock = folder / "lock"
    held = links.open_file(lock, flags=links.LOCK_FILE, mode=0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(held)


def _list_slots(folder: Path) -> Iterator[Path]:
    return (facts.parent for facts in sorted(folder.glob("*/server.json")))


def _read_facts(slot: Path) -> dict[str, str]:
    """Return the facts about a server; an empty mapping if the process that started it was killed."""
    with contextlib.suppress(OSError, ValueError):
        return dict(parse_json(read_text(slot / "server.json")))
    return {}


def _describe(slot: Path) -> Iterator[Running]:
    """Yield the server in a directory if it is running; otherwise, remove the directory."""
    control = _join(slot)
    if control is None:
        shutil.rmtree(slot, ignore_errors=True)
        return
    control.close()
    facts, pid = _read_facts(slot), slot / "pid"
    yield Running(facts["release"], Path(facts["place"]), int(pid.read_text()), time.time() - pid.stat().st_mtime)


def _join(slot: Path) -> socket.socket | None:
    """Connect to the server in a directory; return None if it is not running."""
    control = socket.socket(socket.AF_UNIX)
    try:
        control.connect(str(slot / "socket"))
        if peer_user(control) == os.getuid():
            return control
    except OSError:
        pass
    control.close()
    return None


def _dismiss(control: socket.socket, slot: Path) -> None:
    """Retire a server: hide it from new clients, and let it end with its last run."""
    slot.rename(slot.with_name(f"{slot.name}-{_digest(str(time.time_ns()))}"))
    with control, contextlib.suppress(OSError):
        control.sendall(b'{"leave": true}\n')
        control.recv(1)


def _start(
    slot: Path, facts: Mapping[str, str], command: list[str], variables: Mapping[str, str], lock: Path
) -> socket.socket:
    """Start a server and connect to it; it answers once it has imported the host."""
    path = os.fsencode(slot / "socket")
    if len(path) >= _PATH_LIMIT:
        raise OSError(f"the path of a socket is too long: {slot}")
    slot.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        number = listening.fileno()
        # The server detaches from this process, which would otherwise have to wait for it.
        subprocess.run(
            [*command, str(number), str(lock), str(IDLE_SECONDS), str(MEMORY_LIMIT)],
            # Hosts do not inherit this environment.
            env={name: value for name, value in {**variables, "PATH": os.defpath}.items() if name not in _OF_USERS},
            cwd=slot,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[number],
            start_new_session=True,
            check=False,
        )
    write_file(slot / "server.json", json.dumps(facts).encode(), durable=False, journalled=False)
    if control := _join(slot):
        return control
    raise OSError(f"the server in {slot} has ended")


def _make_key(environment: Environment) -> str:
    """Return a digest of the host's files, its interpreter, our code, and the limits that hosts inherit."""
    packages = environment.package_directories
    checkouts = [environment.borrowed.code] if environment.borrowed else []
    roots = [*map(Path, packages), *map(Path, find_editable(packages)), *checkouts, *_OWN_CODE]
    return _digest(
        repr(
            [
                sys.platform,
                _read_state(str(environment.python.resolve())),
                [sorted(_list_states(root)) for root in roots],
                {name: os.environ.get(name) for name in _STARTING_VARIABLES},
                _list_limits(),
            ]
        )
    )


def _list_states(root: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the states of the code files in a directory."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (_read_state(f"{folder}/{name}") for name in names if name.endswith(_CODE))


def _read_state(path: str) -> tuple[str, int, int]:
    # Strings are faster than `Path` for thousands of files.
    status = os.lstat(path)
    return path, status.st_size, status.st_mtime_ns


def _list_limits() -> list[object]:
    """Return the umask and resource limits, which a process inherits from its parent."""
    import resource

    umask = os.umask(0o077)
    os.umask(umask)
    names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
    return [umask, *(resource.getrlimit(getattr(resource, name)) for name in names)]
