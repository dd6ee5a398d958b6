"""Loading of plugins again for each rule, as in a newly started process."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

_numbers = itertools.count()
_set_aside: dict[str, ModuleType] = {}
"""Modules of packages that the host loaded, while their replacements are loaded."""

_packages: set[str] = set()
"""Top-level packages that are loaded again."""


def module(directory: Path, *, siblings: bool = False) -> ModuleType:
    """Run a plugin's ``__init__.py`` as a package with a unique name.

    Args:
        directory: The plugin's directory.
        siblings: Whether to run its other modules first, as the host does for memory providers.
    """
    name = f"_hermes_sdk_contract_{next(_numbers)}"
    made = _module(name, directory / "__init__.py", [str(directory)])
    if siblings:
        for file in sorted(directory.glob("*.py")):
            if file.name != "__init__.py":
                with contextlib.suppress(Exception):  # Like the host, which logs the exception only at DEBUG level.
                    _run(_module(f"{name}.{file.stem}", file))
    _run(made)
    return made


def load(entry_point: str) -> Any:
    """Import the package of an entry point again, and return the object that it refers to."""
    name, _, attribute = entry_point.partition(":")
    top = name.partition(".")[0]
    for one in _list_modules(top):
        module = sys.modules.pop(one)
        if top not in _packages:
            _set_aside[one] = module
    _packages.add(top)
    found: Any = importlib.import_module(name)
    for part in filter(None, attribute.split(".")):
        found = getattr(found, part)
    return found


def _list_modules(top: str) -> list[str]:
    return [name for name in sys.modules if name == top or name.startswith(f"{top}.")]


def forget() -> None:
    """Unload the modules of plugins, and restore those that the host had loaded."""
    for name in [name for name in sys.modules if name.startswith("_hermes_sdk_contract_")]:
        del sys.modules[name]
    for name in [name for top in _packages for name in _list_modules(top)]:
        del sys.modules[name]
    sys.modules.update(_set_aside)
    _packages.clear()
    _set_aside.clear()


def _module(name: str, file: Path, search: list[str] | None = None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    assert spec is not None
    sys.modules[name] = made = importlib.util.module_from_spec(spec)
    return made


def _run(made: ModuleType) -> None:
    assert made.__spec__ is not None
    assert made.__spec__.loader is not None
    made.__spec__.loader.exec_module(made)


class Collector:
    """A ``ctx`` that records registrations.

    Args:
        ctx: The context with all other members, or None.
        members: Members of this kind of context, in addition to those of `ctx`.

    Attributes:
        calls: Name, positional and keyword arguments of each call.
        missing: Requested members that do not exist.
    """

    def __init__(self, ctx: Any, members: Sequence[str]) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.missing: list[str] = []
        self._ctx = ctx
        self._members = frozenset(members)

    def __getattr__(self, name: str) -> Any:
        if name in self._members or (name.startswith("register_") and hasattr(self._ctx, name)):

            def register(*args: Any, **kwargs: Any) -> None:
                self.calls.append((name, args, kwargs))

            return register
        if self._ctx is not None and hasattr(self._ctx, name):
            return getattr(self._ctx, name)
        self.missing.append(name)
        raise AttributeError(f"this ctx has no {name!r}")

    def bind_calls(self, name: str, parameters: Sequence[str]) -> list[dict[str, Any]]:
        """Return the arguments of each call of a method, by the names of its parameters."""
        return [
            {**dict(zip(parameters, args, strict=False)), **kwargs} for one, args, kwargs in self.calls if one == name
        ]

    def find_registered(self, name: str) -> list[Any]:
        """Return the first argument of each call of a method."""
        return [args[0] if args else next(iter(kwargs.values())) for one, args, kwargs in self.calls if one == name]
