"""Lets the host ask its model again without waiting in between; nothing else of what it does then is changed."""

from __future__ import annotations

import contextlib
import importlib
import time
from typing import Any

# Every ``time.sleep`` in these modules, which not all releases have, is a wait between two attempts.
_LOOP = ("run_agent", "agent.conversation_loop", "agent.agent_runtime_helpers")
_AUXILIARY = ("agent.auxiliary_client",)


def hurry_client() -> None:
    """Let the client library, and what asks a model beside the conversation, try again at once."""
    client: Any = importlib.import_module("openai._base_client")
    client.INITIAL_RETRY_DELAY = client.MAX_RETRY_DELAY = 0.0
    _hurry(_AUXILIARY)


def hurry_loop() -> None:
    """Let the agent loop try again at once."""
    _hurry(_LOOP)


def _hurry(names: tuple[str, ...]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            module: Any = importlib.import_module(name)
            module.time = _Clock()
            # The loop sleeps until a moment that it computes with this.
            if hasattr(module, "jittered_backoff"):
                module.jittered_backoff = _no_time


def _no_time(*_: object, **__: object) -> float:
    return 0.0


class _Clock:
    """The module `time`, but for those who sleep no time passes."""

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def sleep(self, seconds: float) -> None:
        """Return at once."""
