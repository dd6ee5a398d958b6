"""Hooks: registration, dispatch and the isolation of a callback that raises (statements D1 to D7)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import CoroutineType
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import CreditedStore, count_callbacks, names_with_more

logger = logging.getLogger("hermes_cli.plugins")

Callback = Callable[..., Any]


class Hooks(CreditedStore):
    """The callbacks of all plugins by hook, in the order in which they were registered."""

    entries: dict[str, list[Callback]]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state
        self._known = state.contract.hooks
        self._injected = tuple(state.contract.injected_hook_arguments.items())
        self._stops_at_block = state.behaviour.hook_stops_at_first_block
        self._credited: set[str] = set()
        self._of_shell: set[int] = set()

    def register(self, plugin: PluginManifest, *, hook_name: str, callback: Callback) -> Entry:
        """Add a callback; a name that the release does not know is kept, with a warning."""
        if hook_name not in self._known:
            valid = ", ".join(sorted(self._known))
            logger.warning("Plugin '%s' registered unknown hook '%s' (valid: %s)", plugin.name, hook_name, valid)
        return Entry(hook_name, self.append_to(hook_name, callback))

    def register_shell_hook(self, name: str, callback: Callback) -> None:
        """Add the callback of a shell hook, which belongs to no plugin."""
        self.entries.setdefault(name, []).append(callback)
        self._of_shell.add(id(callback))

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self._credited.clear()
        self._of_shell.clear()

    def mark(self) -> dict[str, int]:
        """Note how many callbacks there are."""
        return count_callbacks(self.entries)

    def credit(self, plugin: PluginManifest, mark: dict[str, int]) -> list[str]:  # noqa: ARG002
        """List the hooks that got a callback; later releases list each hook for one plugin only."""
        if self._state.behaviour.hook_counts_by_growth:
            return names_with_more(self.entries, mark)
        credited = [name for name in self.entries if name not in self._credited]
        self._credited.update(credited)
        return credited

    def has(self, name: str) -> bool:
        """Tell whether a hook has a callback."""
        return bool(self.entries.get(name))

    def fire(self, name: str, /, **values: Any) -> list[Any]:
        """Fire a hook with the values that the release passes; a hook that the release lacks is never fired."""
        fact = self._known.get(name)
        if fact is None or not self.has(name):
            return []
        passed = fact.arguments
        return self.invoke(name, **{key: value for key, value in values.items() if key in passed})

    def invoke(self, name: str, /, **arguments: Any) -> list[Any]:
        """Call every callback and collect the results but None; an Exception is logged and the next callback runs."""
        for key, value in self._injected:
            arguments.setdefault(key, value)
        results = []
        recording = self._state.recording
        for callback in self.entries.get(name, ()):
            try:
                if recording.active:
                    kind = "shell_hook" if id(callback) in self._of_shell else "hook"
                    result = recording.call(kind, name, callback, (), arguments)
                else:
                    result = callback(**arguments)
            except Exception as error:
                label = getattr(callback, "__name__", repr(callback))
                logger.warning("Hook '%s' callback %s raised: %s", name, label, error)
                self._state.swallow(f"hook {name}", error)
            else:
                if result is not None:
                    results.append(result)
                if self._stops_at_block and name == "pre_tool_call" and blocks(result):
                    break
        for result in results:
            if isinstance(result, CoroutineType):
                # The host keeps it among the results, where nobody awaits it (D5).
                result.close()
                never_awaited = RuntimeWarning(f"coroutine {result.__qualname__!r} was never awaited")
                self._state.swallow(f"hook {name}", never_awaited)
        return results


def blocks(directive: Any) -> bool:
    """Tell whether a result of ``pre_tool_call`` blocks the tool (D30)."""
    if not isinstance(directive, dict) or directive.get("action") != "block":
        return False
    message = directive.get("message")
    return isinstance(message, str) and message != ""
