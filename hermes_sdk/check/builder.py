"""The child process that builds a project: run by its path, by a Python that may know nothing of hermes-sdk."""

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
    """Build a wheel and a source distribution of the project in the working directory, isolated as is asked.

    The request says where the package `processes.isolation` is, gives the directories with packages of the backend, the
    backend as pyproject.toml names it, a directory to build in, and the descriptors that take the results, since the
    directory may be a copy that vanishes.
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
    """Import the package at a path, and leave no trace of it where modules are searched."""
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
        # Anything else that it put there, such as a pipe, could end or delay this process.
        for made in [*output.glob(pattern)][:1]:
            with made.open("rb") as source, open(result, "wb") as target:  # noqa: PTH123
                shutil.copyfileobj(source, target)


if __name__ == "__main__":
    main()
