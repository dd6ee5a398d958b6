"""Importing files under names that the host chooses."""

from __future__ import annotations

import importlib.util
import sys
import types


def namespace_package(name: str) -> types.ModuleType:
    """Make an empty package that only holds other modules."""
    package = types.ModuleType(name)
    package.__path__ = []
    package.__package__ = name
    return package


def forget(name: str) -> None:
    """Remove a module, and the modules of its package, from the process."""
    for one in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[one]


def execute(name: str, file: str, search: list[str] | None = None) -> types.ModuleType:
    """Execute a file as the module `name`, anew each time; the module stays in `sys.modules` even when it raises."""
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"Cannot create module spec for {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
