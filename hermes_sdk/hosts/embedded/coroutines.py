"""Waiting for awaitable results of callbacks and handlers."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable
from typing import Any

AWAIT_LIMIT_SECONDS = 30.0


def resolve(result: Any) -> Any:
    """Wait for the result of a handler if it is awaitable.

    If an event loop is running, the coroutine runs in a separate thread, for at most 30 seconds.

    Raises:
        ValueError: The result is awaitable, but not a coroutine.
        TimeoutError: The coroutine took longer than 30 seconds.
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

    # The Python versions of Hermes accept only coroutines in `asyncio.run`; later versions accept any awaitable.
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
