"""What a host changes in the process, and how all of it comes back."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType


class ProcessState:
    """The process as it was at one moment: modules, import path and finders, environment, directory, root logger."""

    def __init__(self) -> None:
        self.modules = dict(sys.modules)
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._meta_path = list(sys.meta_path)
        self._directory = Path.cwd()
        root = logging.getLogger()
        self._handlers, self._level = list(root.handlers), root.level

    def restore(self, is_ours: Callable[[str, ModuleType], bool]) -> None:
        """Bring the process back to this state.

        Libraries that were imported meanwhile stay, and their import finders with them, as they do in any process: a
        second import of the same library would make second copies of its classes.

        Args:
            is_ours: Tells, by a module's name and its object, whether it belongs to the host and goes with it.
        """
        before = self.modules.get
        changed = [name for name, module in sys.modules.copy().items() if before(name) is not module]
        libraries = {name for name in changed if name not in self.modules and not is_ours(name, sys.modules[name])}
        for name in changed:
            if name not in libraries:
                del sys.modules[name]
        for name in self.modules.keys() - sys.modules.keys():
            sys.modules[name] = self.modules[name]
        theirs = [one for one in sys.meta_path if getattr(one, "__module__", None) in libraries]
        sys.path[:] = self._path
        sys.meta_path[:] = [*self._meta_path, *theirs]
        _set_environment(self._environment)
        os.chdir(self._directory)
        root = logging.getLogger()
        root.handlers[:] = self._handlers
        root.setLevel(self._level)


def _set_environment(wanted: Mapping[str, str]) -> None:
    """Make the environment equal to a mapping, touching only what differs."""
    present = dict(os.environ)
    for name in present.keys() - wanted.keys():
        del os.environ[name]
    for name, value in wanted.items():
        if present.get(name) != value:
            os.environ[name] = value
