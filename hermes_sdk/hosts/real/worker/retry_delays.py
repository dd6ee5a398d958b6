"""Removal of the delays before retries of the host, without other changes."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import random
import time
from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any

# In these modules, which some releases lack, each ``time.sleep`` is a delay between two attempts.
_LOOP = (
    "run_agent",
    "agent.conversation_loop",
    "agent.agent_runtime_helpers",
    "agent.retry_utils",
    "agent.turn_overflow",
    "agent.turn_recovery",
)
_AUXILIARY = ("agent.auxiliary_client",)

_SETTLING = 1.0
"""Seconds that a gateway waits at its start after its adapters are connected."""


def skip_client_delays() -> None:
    """Make the client library, and requests outside the conversation, retry without delay."""
    client: Any = importlib.import_module("openai._base_client")
    client.INITIAL_RETRY_DELAY = client.MAX_RETRY_DELAY = 0.0
    _skip_delays(_AUXILIARY)


def skip_agent_delays() -> None:
    """Make the agent loop retry without delay."""
    _skip_delays(_LOOP)


@contextlib.contextmanager
def skip_gateway_delays() -> Generator[None]:
    """Make a gateway start without waiting a second for its adapters, and retry failed sends without delay."""
    platforms: Any = importlib.import_module("gateway.platforms.base")
    platforms.random = _Altered(random, uniform=_return_least)
    send = inspect.unwrap(platforms.BasePlatformAdapter._send_with_retry)
    send.__defaults__ = (*send.__defaults__[:-1], 0.0)
    gateway: Any = importlib.import_module("gateway.run")
    known, gateway.asyncio = gateway.asyncio, _Altered(asyncio, sleep=_skip_settling)
    try:
        yield
    finally:
        gateway.asyncio = known


def _skip_delays(names: tuple[str, ...]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            module: Any = importlib.import_module(name)
            module.time = _Altered(time, sleep=_return_zero)
            # The loop sleeps until a time that it computes with this function.
            if hasattr(module, "jittered_backoff"):
                module.jittered_backoff = _return_zero


class _Altered:
    """A module with some of its functions replaced."""

    def __init__(self, module: ModuleType, **functions: Callable[..., Any]) -> None:
        self._module = module
        vars(self).update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _return_zero(*_: object, **__: object) -> float:
    return 0.0


def _return_least(least: float, _: float) -> float:
    return least


async def _skip_settling(seconds: float) -> None:
    await asyncio.sleep(0 if seconds == _SETTLING else seconds)
