"""Lab of the rules for memory providers."""

from __future__ import annotations

import contextlib
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
        """Run the plugin afresh."""
        with self.before_rule(self.registration, "importing the plugin"):
            return loading.module(self.directory, siblings=True)

    def register(self, module: Any) -> loading.Collector:
        """Let it register as the host's memory loader does: with four methods and nothing else."""
        collector = loading.Collector(None, MEMBERS)
        if hasattr(module, "register"):
            with contextlib.suppress(Exception):
                module.register(collector)
        return collector

    def provider(self, module: Any = None) -> Any:
        """A provider, not started."""
        module = self.load() if module is None else module
        with self.before_rule(self.registration, "register(ctx)"):
            found = self.register(module).registered("register_memory_provider")
            provider = found[-1] if found else _of_class(module)
            if provider is None:
                raise Blocked(self.registration, "the plugin registers no memory provider")
        self.at_end(provider.shutdown)
        return provider

    def started(
        self, session: str = "first", *, home: Path | None = None, module: Any = None, agent_context: str = "primary"
    ) -> Any:
        """A provider at work in a session."""
        provider = self.provider(module)
        with self.before_rule("HS830", "initialize()"):
            provider.initialize(session, **{**self.told(home), "agent_context": agent_context})
        return provider

    def told(self, home: Path | None = None) -> dict[str, Any]:
        """Return what the host passes when it starts a provider."""
        said: Callable[..., None] = lambda *_: None  # noqa: E731
        return {
            "hermes_home": str(home or self.home),
            "platform": "cli",
            "agent_context": "primary",
            "agent_identity": "default",
            "agent_workspace": "hermes",
            "warning_callback": said,
            "status_callback": said,
        }

    def tell(self, provider: Any, session: str = "first") -> None:
        """Let a provider keep the turn that the author says it can answer about."""
        said, answered = self.settings["turn"]
        self.sync(provider, said, answered, session)
        provider.queue_prefetch(self.settings["question"], session_id=session)

    def sync(self, provider: Any, said: str, answered: str, session: str = "first") -> None:
        """Let a provider keep a turn, for rules about something else: only HS847 fails when that hangs."""
        if reason := self.settings["failed"].get("HS847"):
            raise Blocked("HS847", reason)
        self.step = "HS847"
        provider.sync_turn(said, answered, session_id=session)
        self.step = ""

    def demand_recalled(self, provider: Any, why: str, *, session: str = "first") -> None:
        """Break the rule unless a provider recalls that turn before long."""
        end = time.monotonic() + self.settings["patience"]
        while True:
            found = provider.prefetch(self.settings["question"], session_id=session)
            if self.settings["answer"] in (found or ""):
                return
            if time.monotonic() > end:
                raise Broken(f"{why}: prefetch({self.settings['question']!r}) returned {found!r:.200}")
            time.sleep(0.01)

    def demand_remembers(self, provider: Any) -> None:
        """Leave providers alone that keep no turns, or recall nothing by themselves."""
        for method in ("sync_turn", "prefetch"):
            if not lab.overridden(provider, method, BASE):
                raise NotApplicable(f"it has no {method} of its own")


def _of_class(module: Any) -> Any:
    for name in dir(module):
        one = getattr(module, name)
        if isinstance(one, type) and one.__name__ != BASE and BASE in [base.__name__ for base in one.__mro__]:
            return one()
    return None
