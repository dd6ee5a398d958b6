"""Availability of tools: results of ``check_fn`` and their caching (B18, B19)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import OnSwallowed

CheckFn = Callable[[], Any]
Clock = Callable[[], float]

TIME_TO_LIVE = 30.0
"""Seconds for which a result is cached."""

GRACE = 60.0
"""Seconds after a success in which a failure counts as transient."""


def _monotonic() -> float:
    """Return `time.monotonic()`, looked up on each call so that tests can replace the function."""
    return time.monotonic()


_log = logging.getLogger("tools.registry")


class Availability:
    """Cached results of each ``check_fn``, by function object.

    Args:
        quiet: Whether to log a false result at level INFO instead of WARNING, which is used for exceptions.
        on_swallowed: Called with an exception of a ``check_fn``, which the host treats as a false result.
        clock: Returns the seconds of a monotonic clock.
    """

    def __init__(self, *, quiet: bool, on_swallowed: OnSwallowed, clock: Clock = _monotonic) -> None:
        self._quiet = quiet
        self._on_swallowed = on_swallowed
        self._clock = clock
        self._results: dict[CheckFn, tuple[float, bool]] = {}
        self._last_success: dict[CheckFn, float] = {}

    def __call__(self, check_fn: CheckFn) -> bool:
        """Return whether tools with this ``check_fn`` are offered now."""
        now = self._clock()
        cached = self._results.get(check_fn)
        if cached is not None and now - cached[0] < TIME_TO_LIVE:
            return cached[1]
        result, failure = self._run_check(check_fn)
        if result:
            self._last_success[check_fn] = now
        elif self._is_forgiven(check_fn, failure, now):
            return True
        self._results[check_fn] = (now, result)
        return result

    def _run_check(self, check_fn: CheckFn) -> tuple[bool, str]:
        try:
            return bool(check_fn()), "returned False"
        except Exception as error:
            self._on_swallowed(f"check_fn {_name(check_fn)}", error)
            return False, "raised"

    def _is_forgiven(self, check_fn: CheckFn, failure: str, now: float) -> bool:
        succeeded = self._last_success.get(check_fn)
        if succeeded is not None and now - succeeded < GRACE:
            _log.warning(
                "check_fn %s failed (%s) within %.0fs of last success; they stay available",
                _name(check_fn),
                failure,
                GRACE,
            )
            return True
        level = logging.INFO if self._quiet and failure == "returned False" else logging.WARNING
        _log.log(level, "check_fn %s %s; dependent tools will be unavailable this turn", _name(check_fn), failure)
        return False


def _name(check_fn: CheckFn) -> object:
    return getattr(check_fn, "__qualname__", check_fn)
