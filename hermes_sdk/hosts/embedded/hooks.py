"""Hooks: registration, dispatch and the isolation of a callback that raises (statements D1 to D7)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import CoroutineType
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface.host import OnSwallowed

logger = logging.getLogger("hermes_cli.plugins")

OBSERVER_SCHEMA = "hermes.observer.v1"

Callback = Callable[..., Any]


class Hooks:
    """The callbacks of all plugins, in the order in which they were registered.

    Args:
        contract: What the release promises; it says which names exist and what every call carries.
        on_swallowed: Called with a place and the exception whenever the host hides one of a callback.
        recording: Where the calls of callbacks are recorded.

    Attributes:
        callbacks: The callbacks by hook.
        credited: The hooks that the record of a plugin lists, for releases that list each for one plugin only.
    """

    def __init__(self, contract: Contract, on_swallowed: OnSwallowed, recording: Recording | None = None) -> None:
        self.callbacks: dict[str, list[Callback]] = {}
        self.credited: set[str] = set()
        self._known = contract.hooks.keys()
        self._telemetry = contract.behaviour.hook_telemetry
        self._stops_at_block = contract.behaviour.hook_stops_at_first_block
        self._on_swallowed = on_swallowed
        self._recording = recording or Recording()
        self._of_shell: set[int] = set()

    def register(self, plugin: Any, name: str, callback: Callback) -> None:
        """Add a callback; a name that the release does not know is kept, with a warning."""
        if name not in self._known:
            valid = ", ".join(sorted(self._known))
            logger.warning("Plugin '%s' registered unknown hook '%s' (valid: %s)", plugin, name, valid)
        self.callbacks.setdefault(name, []).append(callback)

    def register_shell_hook(self, name: str, callback: Callback) -> None:
        """Add the callback of a shell hook, which is no plugin's."""
        self.callbacks.setdefault(name, []).append(callback)
        self._of_shell.add(id(callback))

    def has(self, name: str) -> bool:
        """Tell whether a callback listens."""
        return bool(self.callbacks.get(name))

    def fire(self, name: str, /, **arguments: Any) -> list[Any]:
        """Call every callback and collect what is not None; an Exception is logged and the next one runs."""
        if self._telemetry:
            arguments.setdefault("telemetry_schema_version", OBSERVER_SCHEMA)
        results = []
        recording = self._recording
        for callback in self.callbacks.get(name, ()):
            try:
                if recording.active:
                    kind = "shell_hook" if id(callback) in self._of_shell else "hook"
                    result = recording.call(kind, name, callback, (), arguments)
                else:
                    result = callback(**arguments)
            except Exception as error:
                label = getattr(callback, "__name__", repr(callback))
                logger.warning("Hook '%s' callback %s raised: %s", name, label, error)
                self._on_swallowed(f"hook {name}", error)
            else:
                if result is not None:
                    results.append(result)
                if self._stops_at_block and name == "pre_tool_call" and blocks(result):
                    break
        for result in results:
            if isinstance(result, CoroutineType):
                # The host keeps it among the results, where nobody awaits it (D5).
                result.close()
                self._on_swallowed(
                    f"hook {name}", RuntimeWarning(f"coroutine {result.__qualname__!r} was never awaited")
                )
        return results


def blocks(directive: Any) -> bool:
    """Tell whether what a callback of ``pre_tool_call`` returned keeps the tool from running (D30)."""
    if not isinstance(directive, dict) or directive.get("action") != "block":
        return False
    message = directive.get("message")
    return isinstance(message, str) and message != ""
