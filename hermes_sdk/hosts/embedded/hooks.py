"""Hooks: registration, dispatch and the isolation of a callback that raises (statements D1 to D7)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from functools import partial
from types import CoroutineType
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.coroutines import resolve
from hermes_sdk.hosts.embedded.failures import LONGEST_ERROR, Failures, name_callback
from hermes_sdk.hosts.embedded.hook_deadlines import POLICY, SKIPPED, HookDeadlines
from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.signatures import narrow
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import CreditedStore, count_callbacks, list_extended

logger = logging.getLogger("hermes_cli.plugins")
_stream_log = logging.getLogger("agent.plugin_stream_hooks")

Callback = Callable[..., Any]

_BARE = "gateway_platform_event"
"""The hook to whose arguments Hermes adds nothing."""
_LOOKED_UP = frozenset(
    {
        _BARE,
        "api_request_error",
        "on_skill_lifecycle",
        "post_api_request",
        "post_auxiliary_call",
        "post_gateway_admission",
        "post_tool_call",
        "pre_api_request",
        "pre_auxiliary_call",
        "pre_command",
        "pre_transcription",
        "pre_verify",
        "transform_tool_result",
    }
)
"""The hooks that Hermes fires only if they have callbacks."""


class Hooks(CreditedStore):
    """The callbacks of all plugins by hook, in the order in which they were registered."""

    entries: dict[str, list[Callback]]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state
        self._known = state.contract.hooks
        self._injected = dict(state.contract.injected_hook_arguments)
        behaviour = state.behaviour
        self._narrows = behaviour.hook_arguments_narrowed
        self._bounds = behaviour.hooks_bounded
        self._awaits = behaviour.hooks_awaited
        self._shell_callbacks: set[int] = set()
        self._shell_hooks: set[Hashable] = set()
        self._deadlines = HookDeadlines(state.config, behaviour)
        self.failures = Failures(state, "Hook")

    def register(self, plugin: PluginManifest, *, hook_name: str, callback: Callback) -> Entry:
        """Add a callback; log a warning if the release does not know the hook."""
        if hook_name not in self._known:
            valid = ", ".join(sorted(self._known))
            logger.warning("Plugin '%s' registered unknown hook '%s' (valid: %s)", plugin.name, hook_name, valid)
        return Entry(hook_name, self.append_to(hook_name, callback))

    def register_shell_hook(self, name: str, callback: Callback, identity: Hashable) -> None:
        """Add the callback of a shell hook, which belongs to no plugin."""
        self.entries.setdefault(name, []).append(callback)
        self._shell_callbacks.add(id(callback))
        self._shell_hooks.add(identity)

    def has_shell_hook(self, identity: Hashable) -> bool:
        """Return whether a shell hook was added, even if a rescan has dropped it permanently."""
        return identity in self._shell_hooks

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self._shell_callbacks.clear()
        if self._state.behaviour.registrations_undone:
            self._shell_hooks.clear()
        self.failures.clear()

    def mark(self) -> dict[str, int]:
        """Return the number of callbacks of each hook."""
        return count_callbacks(self.entries)

    def credit(self, plugin: PluginManifest, mark: dict[str, int]) -> list[str]:  # noqa: ARG002
        """List the hooks with new callbacks."""
        return list_extended(self.entries, mark)

    def has(self, name: str) -> bool:
        """Return whether a hook has a callback."""
        return bool(self.entries.get(name))

    def fire(self, name: str, /, **values: Any) -> list[Any]:
        """Fire a hook with the values that the release passes; do nothing if the release lacks the hook."""
        arguments = self._select(name, values)
        if arguments is not None:
            return self.invoke(name, **arguments)
        if self._bounds and name not in _LOOKED_UP:
            self._deadlines.find(name)
        return []

    def prepare(self, name: str, /, **values: Any) -> list[Call]:
        """Return the calls of an observing hook's callbacks, with the values that the release passes.

        A callback receives all values, whether or not it declares them; its exceptions are logged.
        """
        arguments = self._select(name, values)
        if arguments is None:
            return []
        arguments |= self._injected
        return [Call(self, name, callback, arguments) for callback in self.entries[name]]

    def _select(self, name: str, values: dict[str, Any]) -> dict[str, Any] | None:
        fact = self._known.get(name)
        if fact is None or not self.has(name):
            return None
        known = fact.arguments
        return {key: value for key, value in values.items() if key in known}

    def invoke(self, name: str, /, **arguments: Any) -> list[Any]:
        """Call every callback, and return the results except None; log exceptions and continue."""
        if name != _BARE:
            for key, value in self._injected.items():
                arguments.setdefault(key, value)
        results = []
        seconds = self._deadlines.find(name) if self._bounds else 0.0
        is_plain = not (seconds or self._narrows or self._awaits or self._state.recording.active)
        for callback in self.entries.get(name, ()):
            try:
                result = callback(**arguments) if is_plain else self._call(name, callback, arguments, seconds)
            except (Exception, SystemExit) as error:
                result = self._report(name, callback, error, arguments)
            if result is not None:
                results.append(result)
        for result in results:
            if isinstance(result, CoroutineType):
                # Hermes leaves the coroutine in the results, where nothing awaits it (D5).
                result.close()
                never_awaited = RuntimeWarning(f"coroutine {result.__qualname__!r} was never awaited")
                self._state.swallow(f"hook {name}", never_awaited)
        return results

    def _call(self, name: str, callback: Callback, arguments: dict[str, Any], seconds: float) -> Any:
        """Call a callback within its deadline; after a timeout, return None or a directive that blocks the tool."""
        if not seconds:
            return self._call_now(name, callback, arguments)
        work = partial(self._call_now, name, callback, arguments)
        result = self._deadlines.run(name, callback, work, arguments, seconds)
        if result is not SKIPPED:
            return result
        late = f"{name} plugin callback timed out or is still running"
        return {"action": "block", "message": late} if name == POLICY else None

    def _call_now(self, name: str, callback: Callback, arguments: dict[str, Any]) -> Any:
        selected = narrow(callback, arguments) if self._narrows else arguments
        result = self.run(name, callback, selected)
        return resolve(result) if self._awaits else result

    def _report(
        self, name: str, callback: Callback, error: Exception | SystemExit, arguments: dict[str, Any]
    ) -> dict[str, str] | None:
        """Log an exception of a callback; return a directive that blocks the tool, if the exception blocks it."""
        behaviour = self._state.behaviour
        if isinstance(error, SystemExit) and not behaviour.exits_swallowed:
            raise error
        self.failures.report(name, callback, error, arguments)
        if name != POLICY or not behaviour.failing_policy_blocks:
            return None
        raised = f"{name_callback(callback)} raised {type(error).__name__}: {str(error)[:LONGEST_ERROR]}"
        return {"action": "block", "message": f"{name} plugin callback {raised}"}

    def run(self, name: str, callback: Callback, arguments: dict[str, Any]) -> Any:
        """Call a callback, and record the call."""
        recording = self._state.recording
        if not (recording.active and callable(callback)):
            return callback(**arguments)
        kind = "shell_hook" if id(callback) in self._shell_callbacks else "hook"
        return recording.call(kind, name, callback, (), arguments)


class Call(NamedTuple):
    """A call of a hook's callback."""

    hooks: Hooks
    name: str
    callback: Callback
    arguments: dict[str, Any]

    def make(self) -> None:
        """Call the callback, and log its exception if it raises one."""
        try:
            self.hooks.run(self.name, self.callback, dict(self.arguments))
        except Exception as error:
            self.hooks.failures.report(self.name, self.callback, error, self.arguments, _stream_log)


def blocks(directive: Any) -> bool:
    """Return whether a result of ``pre_tool_call`` blocks the tool (D30)."""
    if not isinstance(directive, dict) or directive.get("action") != "block":
        return False
    message = directive.get("message")
    return isinstance(message, str) and message != ""
