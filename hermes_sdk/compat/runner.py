"""The process that runs cells, one after the other: it has imported what they need, has one thread, and forks.

It is started by `pool`, in a scrubbed environment, and serves JSON lines: a job, answered with what came out, or
``null`` between two matrices.
"""

from __future__ import annotations

import gc
import json
import shutil
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from hermes_sdk.compat import cell
from hermes_sdk.compat.cells import Cell, Job
from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.processes.isolation.kernel import end_with_parent
from hermes_sdk.hosts.staging import preload


def main() -> None:
    """Serve until the other side closes the connection."""
    channel = socket.socket(fileno=int(sys.argv.pop()))
    channel.set_inheritable(False)
    # Every fork would import these again. Pytest plugins of other distributions stay out, since pytest rewrites them
    # when it imports them.
    preload()
    import_module("hermes_sdk.testing.fixtures")
    scratch = Path.cwd()
    gc.collect()
    gc.freeze()
    try:
        # A fork is ended with what it started when this process is told to stop, or when nobody waits for it any more.
        signal.signal(signal.SIGTERM, _stop)
        end_with_parent(signal.SIGTERM, channel)
        for line in channel.makefile("rb"):
            if request := parse_json(line):
                channel.sendall(json.dumps(_answer(request)).encode() + b"\n")
            else:
                cell.forget_plugins()
    finally:
        # The process that started this one may be gone.
        shutil.rmtree(scratch, ignore_errors=True)


def _stop(*_: object) -> None:
    sys.exit(1)


def _answer(request: Any) -> Any:
    path, project, where, *rest = request
    outcome = cell.run(Job(path, project, Cell(*where), *rest))
    return {**outcome.as_json(), "log": outcome.log}
