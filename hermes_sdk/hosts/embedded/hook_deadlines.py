"""Deadlines of hooks: callbacks run in separate threads, which are abandoned after a timeout (N65, N66, N69)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from typing import Any, Final

from hermes_sdk.contract.behaviour import Behaviour
from hermes_sdk.hosts.config import HostConfig, read_deadline

_log = logging.getLogger("hermes_cli.plugins")

POLICY: Final = "pre_tool_call"
"""The hook whose callbacks block the tool if they time out."""
_BOUNDED = frozenset(
    {
        POLICY,
        "api_request_error",
        "on_session_end",
        "on_session_start",
        "post_api_request",
        "post_auxiliary_call",
        "post_llm_call",
        "post_tool_call",
        "pre_api_request",
        "pre_auxiliary_call",
        "pre_llm_call",
        "pre_verify",
        "transform_llm_output",
        "transform_terminal_output",
        "transform_tool_result",
    }
)
_SECONDS = 30.0
_QUIET_SECONDS = 60.0
_MOST_ABANDONED = 3
_LONGEST_NAME = 40

SKIPPED: Final = object()
"""Result of a callback that did not run or timed out."""

_Key = tuple[str, int]


class HookDeadlines:
    """Runs each callback of a hook in a thread that is abandoned after a timeout."""

    def __init__(self, config: HostConfig, behaviour: Behaviour) -> None:
        self._config = config
        self._behaviour = behaviour
        self._lock = threading.Lock()
        self._running: set[tuple[_Key, str]] = set()
        self._abandoned: dict[_Key, int] = {}
        self._quiet_until: dict[_Key, float] = {}

    def find(self, hook: str) -> float:
        """Return the deadline for callbacks of a hook in seconds, or 0 for no deadline."""
        # Hermes reads the setting for each hook, and logs an invalid value each time.
        seconds = read_deadline(self._config.view(), "hook_callback_timeout", _SECONDS)
        return seconds if hook in _BOUNDED else 0.0

    def run(
        self, hook: str, callback: Callable[..., Any], call: Callable[[], Any], ids: Mapping[str, Any], seconds: float
    ) -> Any:
        """Run the call of a callback; return its result, or `SKIPPED`. `ids` distinguish concurrent calls."""
        name = getattr(callback, "__name__", repr(callback))
        key = (hook, id(callback))
        running = (key, str(ids.get("tool_call_id") or ids.get("turn_id") or ""))
        with self._lock:
            if self._is_running(running) or self._quiet_until.get(key, 0.0) > time.monotonic():
                _log.warning("Hook '%s' callback %s skipped after previous timeout or while still running", hook, name)
                return SKIPPED
            if self._abandoned.get(key, 0) >= _MOST_ABANDONED:
                _log.warning(
                    "Hook '%s' callback %s (%s) skipped: %d abandoned worker(s) still running — fix"
                    " or disable the plugin",
                    hook,
                    name,
                    getattr(callback, "__module__", "unknown plugin"),
                    self._abandoned[key],
                )
                return SKIPPED
            self._running.add(running)
        worker = _Worker(copy_context().run, call)
        worker.then = lambda: self._release(key, running, worker)
        threading.Thread(target=worker.run, name=f"hermes-hook-{name}"[:_LONGEST_NAME], daemon=True).start()
        if not worker.done.wait(seconds):
            with self._lock:
                self._quiet_until[key] = time.monotonic() + _QUIET_SECONDS
                if running in self._running:
                    worker.is_abandoned = True
                    self._abandoned[key] = self._abandoned.get(key, 0) + 1
            _log.warning("Hook '%s' callback %s timed out after %gs — skipping", hook, name, seconds)
            return SKIPPED
        if worker.error is not None and (
            isinstance(worker.error, Exception) or not self._behaviour.exits_of_hooks_lost
        ):
            raise worker.error
        return worker.result

    def _is_running(self, call: tuple[_Key, str]) -> bool:
        """Return whether the same call is running; on earlier releases, whether any call of the callback is."""
        others = [one for one in self._running if one[0] == call[0]]
        return call in others or (bool(others) and not self._behaviour.hook_calls_told_apart)

    def _release(self, key: _Key, running: tuple[_Key, str], worker: _Worker) -> None:
        with self._lock:
            self._running.discard(running)
            if worker.is_abandoned:
                self._abandoned[key] -= 1


class _Worker:
    """A call in a thread; `then` runs when the call ends."""

    def __init__(self, call: Callable[..., Any], *args: Any) -> None:
        self._call = call
        self._args = args
        self.then: Callable[[], None] = lambda: None
        self.done = threading.Event()
        self.is_abandoned = False
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Run the call, and store its result or exception."""
        try:
            self.result = self._call(*self._args)
        except BaseException as error:
            self.error = error
        finally:
            self.then()
            self.done.set()
