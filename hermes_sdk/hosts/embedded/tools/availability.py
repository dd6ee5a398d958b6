"""Availability of tools: the answers of ``check_fn``, and how long the host caches them (statements B18, B19)."""

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
"""Seconds for which an answer is cached."""

GRACE = 60.0
"""Seconds after a success in which a failure counts as transient."""


def _monotonic() -> float:
    """Return the seconds of `time.monotonic`, looked up at every call: a test may replace it."""
    return time.monotonic()


_log = logging.getLogger("tools.registry")


class Availability:
    """The answers of every ``check_fn``, by function object.

    Args:
        quiet: Whether an answer of "no" is not a warning in the log, as an exception is.
        on_swallowed: Called with an exception of a ``check_fn``, which the host takes for a "no".
        clock: Seconds on a clock that never goes back.
    """

    def __init__(self, *, quiet: bool, on_swallowed: OnSwallowed, clock: Clock = _monotonic) -> None:
        self._quiet = quiet
        self._on_swallowed = on_swallowed
        self._clock = clock
        self._answers: dict[CheckFn, tuple[float, bool]] = {}
        self._last_success: dict[CheckFn, float] = {}

    def __call__(self, check_fn: CheckFn) -> bool:
        """Return whether the tools of this function are offered now."""
        now = self._clock()
        known = self._answers.get(check_fn)
        if known is not None and now - known[0] < TIME_TO_LIVE:
            return known[1]
        answer, failure = self._ask(check_fn)
        if answer:
            self._last_success[check_fn] = now
        elif self._forgives(check_fn, failure, now):
            return True
        self._answers[check_fn] = (now, answer)
        return answer

    def _ask(self, check_fn: CheckFn) -> tuple[bool, str]:
        try:
            return bool(check_fn()), "returned False"
        except Exception as error:
            self._on_swallowed(f"check_fn {_name(check_fn)}", error)
            return False, "raised"

    def _forgives(self, check_fn: CheckFn, failure: str, now: float) -> bool:
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
