"""The child process that builds a project: run by its path, by a Python that may know nothing of hermes-sdk."""

from __future__ import annotations

import json
import runpy
import site
import sys
from importlib import import_module
from typing import Any


def main(request: dict[str, Any]) -> None:
    """Build a wheel and a source distribution of the project in the working directory.

    Args:
        request: Where `sandbox.isolation` is, what it takes and which layers have to be there, the directories with
            packages of the backend, the backend as pyproject.toml names it, and where to put the results.
    """
    layers = runpy.run_path(request["isolation"])["enter"]([request["writable"]], request["seconds"])
    if missing := [layer for layer in request["required"] if layer not in layers]:
        sys.exit(f"this machine cannot isolate it fully; missing: {', '.join(missing)}")
    for directory in request["packages"]:
        site.addsitedir(directory)
    sys.path[:0] = request["path"]
    module, _, attributes = request["backend"].partition(":")
    backend: Any = import_module(module)
    for name in filter(None, attributes.split(".")):
        backend = getattr(backend, name)
    backend.build_wheel(request["output"])
    backend.build_sdist(request["output"])


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
