"""Child process that builds a project; run as a script, by a Python that may not have hermes-sdk installed."""

from __future__ import annotations

import json
import shutil
import site
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    """Build a wheel and a source distribution of the project in the working directory, with the requested isolation.

    The request has the path of the package `processes.isolation`, the directories with the backend's packages, the
    backend from pyproject.toml, the output directory, and file descriptors for the results, because the output
    directory may be removed.
    """
    number = int(sys.argv.pop())
    with socket.socket(fileno=number) as channel:
        with channel.makefile("rb") as lines:
            (writable, seconds, required, readable, _), request = json.loads(lines.readline())
        layers = _load_isolation(request["isolation"]).enter(writable, seconds, readable)
        channel.sendall(json.dumps(layers).encode() + b"\n")
        if set(required) <= set(layers):
            _build(request)
            channel.sendall(b"true\n")


def _load_isolation(folder: str) -> Any:
    """Import the package at a path without changing ``sys.path``."""
    sys.path.insert(0, str(Path(folder).parent))
    try:
        return import_module(Path(folder).name)
    finally:
        del sys.path[0]


def _build(request: dict[str, Any]) -> None:
    for directory in request["packages"]:
        site.addsitedir(directory)
    sys.path[:0] = request["path"]
    module, _, attributes = request["backend"].partition(":")
    backend: Any = import_module(module)
    for name in filter(None, attributes.split(".")):
        backend = getattr(backend, name)
    output = Path(request["output"])
    backend.build_wheel(str(output))
    backend.build_sdist(str(output))
    for pattern, result in (("*.whl", request["wheel"]), ("*.tar.gz", request["sdist"])):
        # Read only one file: the backend may also create a pipe there, which would block this process.
        for made in [*output.glob(pattern)][:1]:
            with made.open("rb") as source, open(result, "wb") as target:  # noqa: PTH123
                shutil.copyfileobj(source, target)


if __name__ == "__main__":
    main()
