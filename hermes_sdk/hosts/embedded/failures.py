"""Logging of exceptions that callbacks of plugins raise (N68)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("hermes_cli.plugins")

LONGEST_ERROR = 200


class Failures:
    """Logs exceptions of callbacks; later releases log each failure once.

    `callee` is the word for a callback in the logs of earlier releases.
    """

    def __init__(self, state: HostState, what: str, callee: str = "callback") -> None:
        self._state = state
        self._what = what
        self._callee = callee
        self._logged: set[tuple[str, ...]] = set()

    def clear(self) -> None:
        """Forget the logged failures."""
        self._logged.clear()

    def report(
        self,
        name: str,
        callback: Callable[..., Any],
        error: BaseException,
        provided: Iterable[str],
        log: logging.Logger = _log,
    ) -> None:
        """Log an exception of a callback; `provided` are the names of the available arguments.

        Releases that log each failure once ignore `log` and use the logger of plugins.
        """
        label = name_callback(callback)
        logged_once = self._state.behaviour.failures_logged_once
        try:
            text = str(error)
        except Exception as unprintable:
            if logged_once:
                raise self._state.unsupported("log an exception whose __str__ fails") from unprintable
            # Python's logging drops the record.
            self._state.swallow(f"{self._what.lower()} {name}", error)
            return
        if not logged_once:
            self._state.swallow(f"{self._what.lower()} {name}", error)
            log.warning("%s '%s' %s %s raised: %s", self._what, name, self._callee, label, error)
            return
        origin = (getattr(callback, "__module__", ""), getattr(callback, "__qualname__", label))
        failure = (name, *origin, type(error).__name__, text[:LONGEST_ERROR])
        if failure in self._logged:
            _log.debug("%s '%s' callback %s raised again: %s", self._what, name, label, error)
            return
        self._logged.add(failure)
        self._state.swallow(f"{self._what.lower()} {name}", error)
        _log.warning(
            "%s '%s' callback %s raised: %s (%s provides: %s; identical failures are logged at DEBUG from now on)",
            self._what,
            name,
            label,
            error,
            self._what.lower(),
            ", ".join(sorted(provided)) or "no fields",
        )


def name_callback(callback: Callable[..., Any]) -> str:
    """Return the name of a callback for logs."""
    return str(getattr(callback, "__name__", repr(callback)))
