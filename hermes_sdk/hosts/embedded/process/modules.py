"""Import of files under chosen module names."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path


def make_namespace_package(name: str) -> types.ModuleType:
    """Create an empty package that contains other modules."""
    package = types.ModuleType(name)
    package.__path__ = []
    package.__package__ = name
    return package


def forget(name: str) -> None:
    """Remove a module and its submodules from the process."""
    for one in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[one]


def execute(name: str, file: str, search: list[str] | None = None) -> types.ModuleType:
    """Execute a file as a new module `name`, which stays in `sys.modules` even if it raises."""
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"Cannot create module spec for {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def find_source(module: str) -> Path | None:
    """Find the file of a module without importing its parent packages."""
    top, *inner = [part for part in module.split(".") if part] or [""]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.origin:
        return None
    file, places = Path(spec.origin), [Path(place) for place in spec.submodule_search_locations or []]
    for part in inner:
        choices = [choice for place in places for choice in (place / part / "__init__.py", place / f"{part}.py")]
        found = next((choice for choice in choices if choice.is_file()), None)
        if found is None:
            return None
        file, places = found, [found.parent] if found.name == "__init__.py" else []
    return file
