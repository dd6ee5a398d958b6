"""Installed modules that a plugin must not find, because they are only dependencies of hermes-sdk."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType


class HiddenModules:
    """Modules that the stand-ins import and plugins must not find; `packages` contains their top-level names."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self._modules: dict[str, ModuleType] = {}
        self._depth = 0

    def set_aside(self) -> None:
        """Remove the modules from the process, since an import in a plugin would find them without a finder."""
        if not self.packages:
            return
        for name in [name for name in sys.modules if name.partition(".")[0] in self.packages]:
            # Modules of our own package stay: the host imports more of them, and must not get second copies.
            if not name.startswith("hermes_sdk."):
                self._modules[name] = sys.modules.pop(name)

    @contextmanager
    def put_back(self) -> Generator[None]:
        """Make the modules importable again in this context, which may be nested."""
        self._depth += 1
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.set_aside()
