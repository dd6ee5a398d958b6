"""The time that a plugin has for its import and its ``register`` (statements N22 and N23; since 0.21.5)."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

from hermes_sdk.hosts.config import read_deadline

logger = logging.getLogger("hermes_cli.plugins")

_SECONDS = 10.0


class PluginLoadTimeout(Exception):
    """A plugin did not finish in time."""


class AbandonableRegistrar:
    """A registrar that registers nothing more after the deadline."""

    def __init__(self, plugin: Any, registrar: Any) -> None:
        self._plugin = plugin
        self._registrar = registrar
        self._is_abandoned = False

    def abandon(self) -> None:
        """From now on, only warn where something would be registered."""
        self._is_abandoned = True

    def __getattr__(self, name: str) -> Any:
        """Serve a member of the registrar."""
        registers = name.startswith("register_") or name in ("subscribe", "on_unload")
        if not registers or not self._is_abandoned:
            return getattr(self._registrar, name)

        def ignore(**arguments: Any) -> None:  # noqa: ARG001
            logger.warning("Plugin '%s' called %s() after its load timed out; ignored", self._plugin, name)

        return ignore


def run_in_time(key: Any, config: Mapping[str, Any], work: Callable[[], bool], abandon: Callable[[], None]) -> bool:
    """Do work on a thread named after a plugin, and return what it returns.

    Raises:
        PluginLoadTimeout: It took too long; `abandon` was called, and the thread goes on.
        BaseException: What the work raised.
    """
    seconds = read_deadline(config, "load_timeout_seconds", _SECONDS)
    if seconds == 0:
        return work()
    done: list[bool] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failures.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name=f"plugin-load:{key}", daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise failures[0]
    if done:
        return done[0]
    abandon()
    raise PluginLoadTimeout(f"load timed out after {seconds:g}s (import + register() never returned)")
