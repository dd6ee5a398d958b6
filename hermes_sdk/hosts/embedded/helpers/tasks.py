"""Coroutines that are started from other threads, and detached tasks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

_logger = logging.getLogger("agent.async_utils")


def safe_schedule_threadsafe(
    coro: Coroutine[Any, Any, Any],
    loop: asyncio.AbstractEventLoop | None,
    *,
    logger: logging.Logger | None = None,
    log_message: str = "Failed to schedule coroutine on loop",
    log_level: int = logging.DEBUG,
) -> Future[Any] | None:
    """Schedule a coroutine on the event loop of another thread; if that fails, close it and return None."""
    try:
        if loop is None:
            raise RuntimeError("loop is None")
        return asyncio.run_coroutine_threadsafe(coro, loop)
    except Exception as problem:
        if asyncio.iscoroutine(coro):
            coro.close()
        (logger or _logger).log(log_level, "%s: %s", log_message, problem)
        return None


def consume_detached_task_result(task: asyncio.Future[Any]) -> None:
    """Retrieve the exception of a detached task, so that the event loop does not report it."""
    with contextlib.suppress(asyncio.CancelledError, Exception):
        task.exception()
