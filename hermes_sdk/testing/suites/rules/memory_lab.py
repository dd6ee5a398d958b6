"""Lab of the rules for memory providers."""

from __future__ import annotations

import contextlib
import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import lab, loading
from .base import Blocked, Broken, NotApplicable

BASE = "MemoryProvider"
MEMBERS = ("register_memory_provider", "register_tool", "register_hook", "register_cli_command")
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "What is in the picture?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"seen": "a cat"}'},
    {"role": "user", "content": [{"type": "text", "text": "And here?"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": "A cat."},
]
SILENT = "The host swallows the exception and logs it only at DEBUG level"
DEAF = f"{SILENT}; the provider misses the event."


class Lab(lab.Lab):
    """A memory provider under test."""

    registration = "HS820"
    ending = "HS863"

    def load(self) -> Any:
        """Load the plugin again, and return its module, or the object that the entry point of a package refers to."""
        with self.before_rule(self.registration, "importing the plugin"):
            entry_point = self.settings["entry_point"]
            return loading.load(entry_point) if entry_point else loading.module(self.directory, siblings=True)

    def collector(self) -> loading.Collector:
        """Return a ``ctx`` like the one that the host's memory loader passes to ``register``."""
        return loading.Collector(self.ctx if self.settings["memory_registers_all"] else None, MEMBERS)

    def find_register(self, loaded: Any) -> Callable[[Any], Any] | None:
        """Return the function that registers the provider; None if the host creates the provider itself."""
        if _is_provider(loaded) or _is_provider(type(loaded)):
            return None
        if not hasattr(loaded, "register"):
            return loaded if inspect.isfunction(loaded) and inspect.signature(loaded).parameters else None
        register: Callable[[Any], Any] = loaded.register
        return register

    def provider(self, loaded: Any = None) -> Any:
        """Return a provider that is not started."""
        loaded = self.load() if loaded is None else loaded
        with self.before_rule(self.registration, "register(ctx)"):
            collector = self.collector()
            if register := self.find_register(loaded):
                with contextlib.suppress(Exception):
                    register(collector)
            found = collector.find_registered("register_memory_provider")
            provider = found[-1] if found else _make_provider(loaded)
            if provider is None:
                raise Blocked(self.registration, "the plugin registers no memory provider")
        self.at_end(provider.shutdown)
        return provider

    def start(
        self, session: str = "first", *, home: Path | None = None, module: Any = None, agent_context: str = "primary"
    ) -> Any:
        """Return a provider that is started in a session."""
        provider = self.provider(module)
        with self.before_rule("HS830", "initialize()"):
            provider.initialize(session, **{**self.make_start_arguments(home), "agent_context": agent_context})
        return provider

    def make_start_arguments(self, home: Path | None = None) -> dict[str, Any]:
        """Return the keyword arguments with which the host starts a provider."""
        ignore: Callable[..., None] = lambda *_: None  # noqa: E731
        return {
            "hermes_home": str(home or self.home),
            "platform": "cli",
            "agent_context": "primary",
            "agent_identity": "default",
            "agent_workspace": "hermes",
            "warning_callback": ignore,
            "status_callback": ignore,
        }

    def store_turn(self, provider: Any, session: str = "first") -> None:
        """Let a provider store the turn of the suite."""
        said, answered = self.settings["turn"]
        self.sync(provider, said, answered, session)
        provider.queue_prefetch(self.settings["question"], session_id=session)

    def sync(self, provider: Any, said: str, answered: str, session: str = "first") -> None:
        """Let a provider store a turn; if that hangs, only HS847 fails, and it blocks rules that store turns."""
        if reason := self.settings["failed"].get("HS847"):
            raise Blocked("HS847", reason)
        self.step = "HS847"
        provider.sync_turn(said, answered, session_id=session)
        self.step = ""

    def demand_recalled(self, provider: Any, why: str, *, session: str = "first") -> None:
        """Raise `Broken` unless a provider recalls the turn of the suite within its patience."""
        end = time.monotonic() + self.settings["patience"]
        while True:
            found = provider.prefetch(self.settings["question"], session_id=session)
            if self.settings["answer"] in (found or ""):
                return
            if time.monotonic() > end:
                raise Broken(f"{why}: prefetch({self.settings['question']!r}) returned {found!r:.200}")
            time.sleep(0.01)

    def demand_remembers(self, provider: Any) -> None:
        """Raise `NotApplicable` for providers that do not store turns or do not recall them automatically."""
        for method in ("sync_turn", "prefetch"):
            if not lab.overridden(provider, method, BASE):
                raise NotApplicable(f"it does not override {method}")


def _make_provider(loaded: Any) -> Any:
    """Create the provider from a class in a module, or from an entry point; return None if there is none."""
    if _is_provider(type(loaded)):
        return loaded
    if isinstance(loaded, type) or (inspect.isfunction(loaded) and not inspect.signature(loaded).parameters):
        made = loaded()
        return made if _is_provider(type(made)) else None
    members = [getattr(loaded, name) for name in dir(loaded)]
    return next((one() for one in members if _is_provider(one) and one.__name__ != BASE), None)


def _is_provider(kind: Any) -> bool:
    return isinstance(kind, type) and BASE in [one.__name__ for one in kind.__mro__]
