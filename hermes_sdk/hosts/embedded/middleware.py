"""Middleware: callbacks that rewrite a request or wrap its execution (statements C30 to C33).

As in Hermes, an exception from below a middleware passes through it in a `_DownstreamExecutionError`, and is raised
again while that wrapper is handled. Therefore, the two form a cycle: the exception is the cause of the wrapper, and the
wrapper is the context of the exception. The exception keeps its own cause, which a plugin may have set. Code that
follows `__cause__` and `__context__` needs a limit.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.failures import Failures, name_callback
from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import CreditedStore, count_callbacks, list_extended

Callback = Callable[..., Any]

SCHEMA_VERSIONS = {
    "telemetry_schema_version": "hermes.observer.v1",
    "middleware_schema_version": "hermes.middleware.v1",
}

_plugins_log = logging.getLogger("hermes_cli.plugins")
_middleware_log = logging.getLogger("hermes_cli.middleware")


class Request(NamedTuple):
    """The payload after request middleware, the original, and a trace entry for each callback that rewrote it."""

    payload: Any
    original: Any
    trace: list[dict[str, str]]


class _DownstreamExecutionError(Exception):
    """Wraps an exception from below a middleware, to distinguish it from the middleware's own."""

    def __init__(self, original: Exception) -> None:
        super().__init__(str(original))
        self.original = original


class Middleware(CreditedStore):
    """Middleware of all plugins by kind, in the order of registration."""

    entries: dict[str, list[Callback]]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state
        self._kinds = state.contract.middleware_kinds
        self._failures = Failures(state, "Middleware")

    def register(self, plugin: PluginManifest, *, kind: str, callback: Callback) -> Entry:
        """Add a callback; if the release does not know the kind, log a warning and never call it."""
        if kind not in self._kinds:
            valid = ", ".join(sorted(self._kinds))
            _plugins_log.warning("Plugin '%s' registered unknown middleware '%s' (valid: %s)", plugin.name, kind, valid)
        return Entry(kind, self.append_to(kind, callback))

    def mark(self) -> dict[str, int]:
        """Return the number of callbacks of each kind."""
        return count_callbacks(self.entries)

    def credit(self, plugin: PluginManifest, mark: dict[str, int]) -> list[str]:  # noqa: ARG002
        """List the kinds with new callbacks."""
        return list_extended(self.entries, mark)

    def request(self, kind: str, key: str, arguments: dict[str, Any]) -> Request:
        """Let the callbacks of a request kind rewrite the payload under `key`, which is ``args`` or ``request``.

        All callbacks receive the same copy, and the last one that returns a mapping under `key` wins; on later
        releases, each receives a copy of the previous result. `arguments` stay unchanged.
        """
        payload = arguments[key]
        callbacks = self.entries.get(kind)
        if not callbacks:
            return Request(payload, payload, [])
        original = _copy(payload)
        payload = _copy(original)
        trace: list[dict[str, str]] = []
        keywords = {**arguments, key: payload, f"original_{key}": original, **SCHEMA_VERSIONS}
        for result in self._call_all(kind, key, callbacks, keywords):
            if isinstance(result, dict) and isinstance(result.get(key), dict):
                payload = _copy(result[key])
                trace.append(_make_trace_entry(result))
        return Request(payload, original, trace)

    def _call_all(self, kind: str, key: str, callbacks: Iterable[Callback], keywords: dict[str, Any]) -> list[Any]:
        """Return what the callbacks return; all are called before the first result is read."""
        if not self._state.behaviour.middleware_chained:
            return [self._call(kind, callback, keywords) for callback in callbacks]
        results = []
        for callback in callbacks:
            own = {name: _copy(keywords[name]) for name in (key, f"original_{key}")}
            result = self._call(kind, callback, {**keywords, **own})
            if isinstance(result, dict) and isinstance(result.get(key), dict):
                keywords = {**keywords, key: result[key]}
            results.append(result)
        return results

    def execute(self, kind: str, key: str, arguments: dict[str, Any], terminal: Callable[[Any], Any]) -> Any:
        """Run `terminal` on the payload under `key` inside the callbacks of an execution kind.

        The first registered callback is the outermost.
        """
        callbacks = self.entries.get(kind)
        if not callbacks:
            return terminal(arguments[key])
        layers = list(callbacks)
        keywords = {**arguments, **SCHEMA_VERSIONS}

        def run(depth: int, payload: Any) -> Any:
            if depth == len(layers):
                return terminal(payload)
            callback = self._record(kind, layers[depth])
            layer = _Layer(kind, callback, payload, lambda payload: run(depth + 1, payload))
            return layer.run({**keywords, key: payload}, self._failures)

        return run(0, arguments[key])

    def _record(self, kind: str, callback: Callback) -> Callback:
        return self._state.recording.wrap("middleware", kind, callback) if self._state.recording.active else callback

    def _call(self, kind: str, callback: Callback, arguments: dict[str, Any]) -> Any:
        try:
            return self._record(kind, callback)(**arguments)
        except (Exception, SystemExit) as error:
            if isinstance(error, SystemExit) and not self._state.behaviour.middleware_exits_swallowed:
                raise
            self._failures.report(kind, callback, error, arguments)
            return None


class _Layer:
    """One execution middleware around everything below it."""

    def __init__(self, kind: str, callback: Callback, payload: Any, below: Callable[[Any], Any]) -> None:
        self._kind = kind
        self._callback = callback
        self._payload = payload
        self._below = below
        self._called = False
        self._results: list[Any] = []

    def run(self, arguments: dict[str, Any], failures: Failures) -> Any:
        try:
            return self._callback(**arguments, next_call=self._next_call)
        except _DownstreamExecutionError as error:
            raise error.original  # noqa: B904 - see above: with `from`, it would lose its own cause
        except Exception as error:
            failures.report(self._kind, self._callback, error, [*arguments, "next_call"], _middleware_log)
            if self._called and not self._results:
                # The wrapped call failed, and the middleware replaced that exception with another one.
                raise
            return self._results[0] if self._called else self._below(self._payload)

    def _next_call(self, next_payload: Any = None) -> Any:
        if self._called:
            raise RuntimeError(
                f"Middleware '{self._kind}' callback {name_callback(self._callback)} called next_call() more than once;"
                " downstream execution is single-use"
            )
        self._called = True
        try:
            result = self._below(self._payload if next_payload is None else next_payload)
        except Exception as error:
            raise _DownstreamExecutionError(error) from error
        self._results.append(result)
        return result


def _make_trace_entry(result: dict[str, Any]) -> dict[str, str]:
    named = {key: result.get(key) for key in ("source", "reason", "name")}
    return {key: value for key, value in named.items() if isinstance(value, str) and value} or {"source": "plugin"}


def _copy(payload: Any) -> Any:
    try:
        return copy.deepcopy(payload)
    except Exception:
        # A payload may contain a client or a lock, which cannot be copied: then its members are shared.
        return dict(payload) if isinstance(payload, dict) else payload
