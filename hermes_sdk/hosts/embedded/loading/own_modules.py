"""Modules of plugins that come with Hermes Agent, under their full name in the package ``plugins``.

The host finds them in its own tree: for such a plugin, or a copy of it, the embedded host takes the plugin's files.
They run as code of the host does, and not as that of the plugin that the host loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.bundled_plugins import find_bundled_name


class OwnModules:
    """Finds the modules of such plugins; `packages` has the directories of copies by their dotted names."""

    def __init__(self, contract: Contract, packages: Mapping[str, Path]) -> None:
        self._contract = contract
        self._packages = dict(packages)

    def add(self, directory: Path) -> None:
        """Find the modules of a directory too, if it lies in a tree of Hermes Agent."""
        name = find_bundled_name(directory)
        if name is not None:
            self._packages[name] = directory

    def find(self, name: str) -> ModuleSpec | None:
        """Find a module that the release has; None when no plugin here brings it."""
        if name not in self._contract.host_modules:
            return None
        for package, directory in self._packages.items():
            if f"{package}.".startswith(f"{name}.") and package != name:
                return ModuleSpec(name, None, is_package=True)
            if self._lies_in(name, package):
                place = directory.joinpath(*name[len(package) :].split(".")[1:])
                for file in (place / "__init__.py", place.with_suffix(".py")):
                    if file.is_file():
                        return spec_from_file_location(name, file)
        return None

    def has(self, name: str) -> bool:
        """Return whether a module is one of these."""
        return any(self._lies_in(name, package) for package in self._packages)

    @staticmethod
    def _lies_in(name: str, package: str) -> bool:
        return name == package or name.startswith(f"{package}.")
