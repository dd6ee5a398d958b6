"""Restoration of process settings that plugins change while they load.

A setting is restored only if loading a plugin changed it and it still has the plugin's value: a test may replace the
same settings while a host is open, and may restore them in any order.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import warnings

# Importing `locale` would be slow.
from _locale import LC_ALL, setlocale
from collections.abc import Callable, Mapping
from functools import partial
from operator import is_
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from hermes_sdk.hosts.in_worker.after_import import AfterImport

PATCHED = frozenset(
    {
        "asyncio.events",
        "builtins",
        "json",
        "logging",
        "socket",
        "subprocess",
        "sys",
        "tempfile",
        "time",
        "warnings",
    }
)
"""Modules whose attributes are restored: standard streams, exception hooks, the event loop policy and functions."""

_SIGNALS = (
    signal.SIGALRM,
    signal.SIGCHLD,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGPIPE,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
_ABSENT = object()


class Settings:
    """Snapshot of the settings of the process."""

    def __init__(self) -> None:
        self._before = [setting.read() for setting in _SETTINGS]
        self._after = self._before
        self._attributes: list[tuple[ModuleType | type, dict[str, Any]]] = []
        self._patches: list[_Patch] = []
        for name in PATCHED & sys.modules.keys():
            self._remember(sys.modules[name])

    def watch(self) -> None:
        """Store the attributes of modules when they are imported, before plugins can change them."""
        if absent := PATCHED - sys.modules.keys():
            sys.meta_path.insert(0, AfterImport(dict.fromkeys(absent, self._remember)))

    def _remember(self, module: ModuleType) -> None:
        self._attributes.append((module, dict(vars(module))))
        if module.__name__ == "socket":
            self._attributes.append((module.socket, dict(vars(module.socket))))

    def note(self) -> None:
        """Attribute the current differences to plugins; a later note replaces an earlier one."""
        self._after = [setting.read() for setting in _SETTINGS]
        self._patches = [
            patch
            for owner, before in self._attributes
            if not _is_unchanged(before, vars(owner))
            for patch in _find_patches(owner, before, vars(owner))
        ]

    def restore(self) -> None:
        """Restore the settings that plugins changed."""
        for setting, before, after in zip(_SETTINGS, self._before, self._after, strict=True):
            if before != after and setting.read() == after:
                setting.write(before)
        for patch in self._patches:
            patch.undo()


class _Setting(NamedTuple):
    read: Callable[[], Any]
    write: Callable[[Any], object]


class _Patch(NamedTuple):
    """A module or class attribute that was replaced, added or deleted."""

    owner: ModuleType | type
    name: str
    before: Any
    after: Any

    def undo(self) -> None:
        if vars(self.owner).get(self.name, _ABSENT) is not self.after:
            return
        if self.before is _ABSENT:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, self.before)


def _is_unchanged(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether no value was replaced, without calling ``==`` of values from plugins."""
    return len(before) == len(now) and all(map(is_, before.values(), now.values()))


def _find_patches(owner: ModuleType | type, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[_Patch]:
    both = {name: (before.get(name, _ABSENT), now.get(name, _ABSENT)) for name in {**before, **now}}
    return [_Patch(owner, name, old, new) for name, (old, new) in both.items() if old is not new]


def _read_umask() -> int:
    # The umask can only be read by setting it; a strict one is safe for files that other threads create meanwhile.
    current = os.umask(0o077)
    os.umask(current)
    return current


def _set_filters(filters: list[Any]) -> None:
    # This also resets the registry of warnings that are shown once.
    warnings.resetwarnings()
    warnings.filters[:] = filters  # type: ignore[index]


def _set_handler(number: signal.Signals, handler: Callable[[int, FrameType | None], Any] | int | None) -> None:
    # Python can neither set a handler that was not set by Python, nor set one outside the main thread.
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(number, handler)


_SETTINGS = (
    _Setting(sys.getrecursionlimit, sys.setrecursionlimit),
    _Setting(_read_umask, os.umask),
    _Setting(partial(setlocale, LC_ALL), partial(setlocale, LC_ALL)),
    _Setting(lambda: warnings.filters[:], _set_filters),
    _Setting(lambda: logging.root.manager.disable, logging.disable),
    *(_Setting(partial(signal.getsignal, number), partial(_set_handler, number)) for number in _SIGNALS),
)
