"""The fork server: imports the host once, then forks a child for each request. It runs no plugin code itself."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...in_worker.network_guard import LoopbackOnly
from ...processes.forks import serve_forks
from . import child, cli, module_code, paths
from .preload import preload

# Not `model_tools`, which must come after the plugins and reads the home when imported.
_PRELOADED = (
    "hermes_cli.plugins",
    "tools.registry",
    "hermes_cli.commands",
    "agent.skill_utils",
    "dotenv",
    "encodings.utf_8_sig",
)

_MANY_OBJECTS = 100_000

_GUARD = LoopbackOnly()


def main(descriptor: str) -> None:
    """Serve until the other side closes the connection, then remove the working directory, which is the server's own.

    The requests are those of `serve_forks`, and ``{"warm": what, "notes": file}``, which makes the server ready; see
    `preload`.
    """
    os.set_inheritable(int(descriptor), False)
    _GUARD.install()
    for name in _PRELOADED:
        importlib.import_module(name)
    paths.host_names()
    module_code.install()
    # Keep the collector from touching, and so copying, the pages of these objects in every child, which lives for a
    # moment and leaves little garbage.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS)
    with socket.socket(fileno=int(descriptor)) as control:
        serve_forks(control, _start, _prepare)
    # The other side closed the connection, or died.
    shutil.rmtree(Path.cwd(), ignore_errors=True)
    # Python's own end would first free every object of the host.
    os._exit(0)


def _start(config: dict[str, Any], stdout: int, stderr: int, channel: int) -> None:
    if "argv" in config:
        cli.run(config, stdout, stderr, channel)
    else:
        child.run(socket.socket(fileno=channel), stdout, config, _GUARD)


def _prepare(request: Mapping[str, Any]) -> None:
    if "fork" in request:
        module_code.take_up(Path.cwd())
    elif "warm" in request:
        preload(request["warm"], Path(request["notes"]))
        gc.freeze()
