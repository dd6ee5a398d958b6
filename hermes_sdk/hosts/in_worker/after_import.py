"""Import hook that calls functions with modules after their import."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class AfterImport:
    """Finder that passes modules to functions after their import; `parts` maps module names to the functions.

    Insert it at the beginning of ``sys.meta_path``.
    """

    def __init__(self, parts: Mapping[str, Callable[[Any], None]]) -> None:
        self._parts = dict(parts)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module with the finders after this one; see `importlib.abc.MetaPathFinder`."""
        if name not in self._parts:
            return None
        # Another thread may remove this finder meanwhile.
        finders = [*sys.meta_path]
        for finder in finders[finders.index(self) + 1 if self in finders else 0 :]:
            if (spec := finder.find_spec(name, path, target)) is not None:
                if spec.loader is not None:
                    self._watch(spec.loader, name)
                return spec
        return None

    def _watch(self, loader: Any, name: str) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            # Names that a release lacks are not recorded.
            with contextlib.suppress(Exception):
                # Attach only now, because `find_spec` may be called without an import.
                self._parts.pop(name)(module)

        loader.exec_module = exec_module
