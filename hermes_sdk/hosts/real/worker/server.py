"""Fork server: import the host once, and fork a child for each request. It does not run plugin code itself."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import inspect
import os
import resource
import select
import shutil
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...in_worker.network_guard import LoopbackOnly
from ...processes.forks import serve_forks
from . import child, cli, module_code, paths
from .preload import preload

# Not `model_tools`, which must be imported after the plugins and reads the home on import.
_PRELOADED = (
    "hermes_cli.plugins",
    "tools.registry",
    "hermes_cli.commands",
    "agent.skill_utils",
    "dotenv",
    "encodings.utf_8_sig",
)

_MANY_OBJECTS = 100_000

_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024

_GUARD = LoopbackOnly()

_ready_for: set[str] = set()
_leaving: list[bool] = []


def main(descriptor: str, *stay: str) -> None:
    """Serve requests until the connection is closed, and remove the working directory, which belongs to the server.

    The requests are those of `serve_forks`; ``{"warm": what, "notes": file}``, which prepares the server (see
    `preload`); and ``{"leave": …}``, which makes a server that keeps running between runs end with its last connection.

    Args:
        descriptor: The file descriptor of the connection, or of a listening socket with `stay`.
        stay: For a server that keeps running between runs: the lock file of its clients, the seconds without a
            connection after which it ends, and the memory in bytes above which it ends immediately.
    """
    os.set_inheritable(int(descriptor), False)
    if stay:
        _leave_starter()
    _load()
    with socket.socket(fileno=int(descriptor)) as control:
        if stay:
            _stay(control, *stay)
        else:
            serve_forks(control, _start, _prepare)
    # The other side has closed the connection or ended.
    shutil.rmtree(Path.cwd(), ignore_errors=True)
    # A normal exit would first free all objects of the host.
    os._exit(0)


def _leave_starter() -> None:
    if pid := os.fork():
        Path("pid").write_text(str(pid), encoding="ascii")
        os._exit(0)


def _load() -> None:
    _GUARD.install()
    for name in _PRELOADED:
        # Some redistributions do not have all modules.
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    if inspect.iscoroutinefunction(sys.modules["hermes_cli.plugins"].discover_plugins):
        sys.exit("its functions are coroutines, unlike those of any release of Hermes")
    paths.host_names()
    module_code.install()
    # Exclude all objects from garbage collection, which would touch, and so copy, their memory pages in each child.
    # Children are short-lived and create little garbage.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS)


def _stay(listening: socket.socket, lock: str, seconds: str, memory: str) -> None:
    """Serve until no client has connected for some time; return with the lock held until the process exits."""

    def wait() -> float:
        is_large = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MEMORY_UNIT > int(memory)
        return 0.0 if is_large or _leaving else float(seconds)

    while True:
        serve_forks(listening, _start, _prepare, wait)
        held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
        fcntl.flock(held, fcntl.LOCK_EX)
        # Clients connect while they have the lock, so check for a new connection after acquiring it.
        if not select.select([listening], [], [], 0)[0]:
            return
        os.close(held)


def _start(config: dict[str, Any], stdout: int, stderr: int, channel: int) -> None:
    if "argv" in config:
        cli.run(config, stdout, stderr, channel)
    else:
        child.run(socket.socket(fileno=channel), stdout, config, _GUARD)


def _prepare(request: Mapping[str, Any]) -> None:
    if "fork" in request:
        module_code.take_up(Path.cwd())
    elif "warm" in request and request["warm"] not in _ready_for:
        _ready_for.add(request["warm"])
        preload(request["warm"], Path(request["notes"]))
        gc.freeze()
    elif "leave" in request:
        _leaving.append(True)
