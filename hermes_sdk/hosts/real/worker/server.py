"""The fork server: imports the host once, then forks a child for each request. It runs no plugin code itself."""

from __future__ import annotations

import gc
import importlib
import json
import os
import shutil
import socket
import traceback
from pathlib import Path
from typing import Any

from ...in_worker.forks import reap
from ...in_worker.network_guard import LoopbackOnly
from . import child, module_code, paths
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

    Requests are JSON lines: ``{"fork": config}`` comes with two descriptors, the child's channel and its output, and is
    answered with ``{"pid": …}``; ``{"reap": pid, "patience": seconds}`` ends a child's process group, after
    that time for the child to end by itself, and is answered with ``{"status": …}``; ``{"warm": what, "notes": file}``
    is answered at once and then makes the server ready, see `preload`.
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
        _send(control, {"ready": True})
        while True:
            data, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 2)
            if not data:
                # The other side closed the connection, or died.
                shutil.rmtree(Path.cwd(), ignore_errors=True)
                # Python's own end would first free every object of the host.
                os._exit(0)
            while not data.endswith(b"\n"):
                data += control.recv(1 << 16)
            request = json.loads(data)
            if "fork" in request:
                module_code.take_up(Path.cwd())
                _send(control, {"pid": _fork(control, descriptors, request["fork"])})
            elif "reap" in request:
                _send(control, {"status": reap(request["reap"], request["patience"])})
            else:
                _send(control, {"warm": True})
                preload(request["warm"], Path(request["notes"]))
                gc.freeze()


def _fork(control: socket.socket, descriptors: list[int], config: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        for descriptor in descriptors:
            os.close(descriptor)
        return pid
    status = 0
    try:
        os.setsid()
        control.close()
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        channel, output = descriptors
        child.run(socket.socket(fileno=channel), output, config, _GUARD)
    except BaseException:
        traceback.print_exc()
        status = 70
    finally:
        os._exit(status)


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")
