"""Waiting for what callbacks and handlers of plugins return when that can be awaited."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable
from typing import Any

AWAIT_LIMIT_SECONDS = 30.0


def resolve(result: Any) -> Any:
    """Wait for what a handler returned, when it can be awaited.

    Inside a running loop the waiting happens in a thread of its own, for at most 30 seconds.

    Raises:
        ValueError: It can be awaited but is not a coroutine.
        TimeoutError: The coroutine took longer than that.
    """
    if result is None or not inspect.isawaitable(result):
        return result
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(result)
    return _run_in_thread(result)


def _run(result: Awaitable[Any]) -> Any:
    import asyncio

    # The host's Pythons accept only coroutines in `asyncio.run`; later ones accept more.
    if not asyncio.iscoroutine(result):
        raise ValueError(f"a coroutine was expected, got {result!r}")
    return asyncio.run(result)


def _run_in_thread(result: Awaitable[Any]) -> Any:
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(_run(result))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work, name="hermes-plugin-command-await", daemon=True)
    thread.start()
    thread.join(AWAIT_LIMIT_SECONDS)
    if failure:
        raise failure[0]
    if not outcome:
        raise TimeoutError(f"Plugin command async handler did not complete within {AWAIT_LIMIT_SECONDS:.0f}s")
    return outcome[0]
