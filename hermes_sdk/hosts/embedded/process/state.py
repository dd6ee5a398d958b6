"""Restoration of the process state that a host changes."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from hermes_sdk.hosts.embedded.process.settings import Settings


class ProcessState:
    """Snapshot of the process.

    It restores modules, import path and finders, environment and time zone, working directory, loggers, and through
    `settings` signal handlers, warnings filters, locale, umask, recursion limit and patched modules.

    It cannot restore running threads, ``atexit`` handlers, timers, open files, and changes inside the objects of
    libraries.
    """

    def __init__(self) -> None:
        self.modules = dict(sys.modules)
        self._environment = _read_environment()
        self._path = list(sys.path)
        self._meta_path = list(sys.meta_path)
        self._directory = os.getcwd()  # noqa: PTH109
        self._loggers = {logger: _read_logger_state(logger) for logger in _list_loggers()}
        self._settings = Settings()

    def watch(self) -> None:
        """Watch modules that plugins import first; call it before they run."""
        self._settings.watch()

    def note(self) -> None:
        """Attribute the current settings to the plugins that were just loaded."""
        self._settings.note()

    def set_aside(self, package: str) -> None:
        """Unload the modules of a package that were imported before, so that a plugin imports them as in Hermes.

        They may have been imported without the modules of Hermes, and contain the state of another test; `restore`
        puts them back.
        """
        for name, module in self.modules.items():
            if (name == package or name.startswith(f"{package}.")) and sys.modules.get(name) is module:
                del sys.modules[name]

    def restore(self, is_ours: Callable[[str, ModuleType], bool]) -> None:
        """Restore this state of the process; modules for which `is_ours` is true belong to the host and are removed.

        Libraries that were imported meanwhile stay, with their import finders, as they do in any process: a second
        import of the same library would make second copies of its classes.
        """
        self._settings.restore()
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
        # The finder of a relative path refers to the working directory in which the finder was created.
        for entry in [entry for entry in sys.path_importer_cache if not os.path.isabs(entry)]:  # noqa: PTH117
            del sys.path_importer_cache[entry]
        self._restore_loggers()

    def _restore_loggers(self) -> None:
        for logger in _list_loggers():
            known = self._loggers.get(logger)
            if known is None and logger.name.partition(".")[0] not in sys.modules:
                # The logger's plugin is no longer loaded; the next plugin with that name gets the same logger.
                known = _FRESH
            if known is not None and known != _read_logger_state(logger):
                logger.handlers[:], logger.filters[:], logger.propagate, logger.disabled, level = known
                logger.setLevel(level)


_LoggerState = tuple[list[logging.Handler], list[Any], bool, bool, int]
_FRESH: _LoggerState = ([], [], True, False, logging.NOTSET)


def _list_loggers() -> list[logging.Logger]:
    known = list(logging.root.manager.loggerDict.values())
    return [logging.root, *(one for one in known if isinstance(one, logging.Logger))]


def _read_logger_state(logger: logging.Logger) -> _LoggerState:
    return logger.handlers[:], logger.filters[:], logger.propagate, logger.disabled, logger.level


def _read_environment() -> dict[bytes, bytes]:
    """Return the environment; a lookup in `os.environb` per variable would take longer than loading a plugin."""
    return dict(vars(os.environb)["_data"])


def _set_environment(wanted: Mapping[bytes, bytes]) -> None:
    """Set the environment to a mapping, changing only variables that differ."""
    present = _read_environment()
    if present == wanted:
        return
    for name in present.keys() - wanted.keys():
        del os.environb[name]
    for name, value in wanted.items():
        if present.get(name) != value:
            os.environb[name] = value
    if present.get(b"TZ") != wanted.get(b"TZ"):
        time.tzset()
