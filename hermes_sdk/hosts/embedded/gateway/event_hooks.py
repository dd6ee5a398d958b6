"""Event hooks of the gateway: ``hooks/<directory>/HOOK.yaml`` with ``handler.py`` in the home (H13 to H20)."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.manifest.load import choose_reader, load_yaml

MANIFEST = "HOOK.yaml"
CODE = "handler.py"

Handler = Callable[[str, dict[str, Any]], Any]


class HookRegistry:
    """Handlers of gateway events; `loaded_hooks` describes the loaded hooks."""

    def __init__(self, state: HostState, on_print: Callable[[str], None]) -> None:
        self._state = state
        self._print = on_print
        self._handlers: dict[str, list[Handler]] = {}
        self.loaded_hooks: list[dict[str, Any]] = []

    def discover_and_load(self) -> None:
        """Load every hook, sorted by directory."""
        folder = self._state.home.path / "hooks"
        directories = sorted(folder.iterdir()) if folder.is_dir() else []
        for directory in directories:
            if (directory / MANIFEST).is_file() and (directory / CODE).is_file():
                try:
                    self._load(directory)
                except _NoEvents as error:
                    raise error.args[0] from None
                except Exception as error:
                    self._print(f"[hooks] Error loading hook {directory.name}: {error}")
                    self._state.swallow(f"gateway hook {directory.name}", error)

    def _load(self, directory: Path) -> None:
        text = (directory / MANIFEST).read_text(encoding="utf-8")
        manifest = load_yaml(text, choose_reader(self._state.behaviour, in_python=True))
        if not manifest or not isinstance(manifest, dict):
            self._print(f"[hooks] Skipping {directory.name}: invalid HOOK.yaml")
            return
        name, events = manifest.get("name", directory.name), manifest.get("events", [])
        if not events:
            self._print(f"[hooks] Skipping {name}: no events declared")
            return
        handle = getattr(_import_file(f"hermes_hook_{name}", directory / CODE), "handle", None)
        if handle is None:
            self._print(f"[hooks] Skipping {name}: no 'handle' function found")
            return
        if self._state.behaviour.event_lists_required and not isinstance(events, Iterable):
            raise _NoEvents(TypeError(f"'{type(events).__name__}' object is not iterable"))
        for event in events:
            self._handlers.setdefault(event, []).append(handle)
        about = {"name": name, "description": manifest.get("description", "")}
        self.loaded_hooks.append({**about, "events": events, "path": str(directory)})
        self._print(f"[hooks] Loaded hook '{name}' for events: {events}")

    def _find_handlers(self, event: str) -> Iterator[Handler]:
        yield from self._handlers.get(event, ())
        if ":" in event:
            yield from self._handlers.get(f"{event.partition(':')[0]}:*", ())

    def handles(self, event: str) -> bool:
        """Return whether the release has an event and a hook handles it."""
        return event in self._state.contract.section("gateway_events") and any(self._find_handlers(event))

    async def emit(self, event_type: str, context: dict[str, Any]) -> None:
        """Call the handlers of an event, which share the context; keys that the release does not pass are deleted."""
        await self.emit_collect(event_type, context)

    async def emit_collect(self, event_type: str, context: dict[str, Any]) -> list[Any]:
        """Call the handlers of an event as `emit` does, and return their results except None."""
        self._filter_context(event_type, context)
        results = []
        for handler in list(self._find_handlers(event_type)):
            try:
                result = self._call(event_type, handler, context)
                if inspect.iscoroutine(result):
                    result = await result
            except Exception as error:
                self._print(f"[hooks] Error in handler for '{event_type}': {error}")
                self._state.swallow(f"gateway hook {event_type}", error)
            else:
                if result is not None:
                    results.append(result)
        return results

    def _filter_context(self, event: str, context: dict[str, Any]) -> None:
        """Delete the keys that the release does not pass to handlers."""
        events = self._state.contract.section("gateway_events")
        fact = events.get("command:<canonical>" if event.startswith("command:") else event)
        known = {*fact["always"], *fact["sometimes"]} if fact else context.keys()
        for name in context.keys() - known:
            del context[name]

    def _call(self, event: str, handler: Handler, context: dict[str, Any]) -> Any:
        if not self._state.recording.active:
            return handler(event, context)
        return self._state.recording.call("gateway_hook", event, handler, (event, context), {})


class _NoEvents(Exception):
    """Raised if the events of a hook are not iterable; on later releases, the gateway then does not start."""


def _import_file(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception:
        del sys.modules[name]
        raise
    return module
