"""Bridge from threads to coroutine handlers, with one event loop per thread that stays open until the host closes."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


class AsyncBridge:
    """Runs coroutine handlers for synchronous callers (C22).

    `time_limit` is in seconds, and applies to calls from within a running event loop.
    """

    def __init__(self, *, time_limit: float = 300.0) -> None:
        self._time_limit = time_limit
        self._of_thread = threading.local()
        self._runners: list[asyncio.Runner] = []

    def run(self, awaitable: Awaitable[Any]) -> Any:
        """Run an awaitable and return its result.

        Outside an event loop, it runs on the loop of the calling thread, which stays open so that plugins can reuse
        clients between calls. Within an event loop, it runs on a new thread.

        Raises:
            TimeoutError: The call from within an event loop exceeded the time limit.
            TypeError: The value is not awaitable.
        """
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._loop().run_until_complete(awaitable)
        return self._run_on_fresh_thread(awaitable)

    def close(self) -> None:
        """Cancel the tasks on the loops, and close the loops."""
        while self._runners:
            self._runners.pop().close()
        self._of_thread = threading.local()

    def _loop(self) -> asyncio.AbstractEventLoop:
        import asyncio

        runner: asyncio.Runner | None = getattr(self._of_thread, "runner", None)
        if runner is None:
            # With an explicit factory, the runner does not set the event loop of the thread.
            runner = self._of_thread.runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
            self._runners.append(runner)
        return runner.get_loop()

    def _run_on_fresh_thread(self, awaitable: Awaitable[Any]) -> Any:
        import asyncio
        from concurrent.futures import Future

        runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        loop = runner.get_loop()
        done: Future[Any] = Future()

        def work() -> None:
            with runner:
                try:
                    done.set_result(loop.run_until_complete(awaitable))
                except BaseException as error:
                    done.set_exception(error)

        context = contextvars.copy_context()
        # Use a daemon thread, so that a handler that never returns does not keep the process alive.
        threading.Thread(target=context.run, args=(work,), daemon=True).start()
        try:
            return done.result(self._time_limit)
        except TimeoutError:
            if not done.done():
                with suppress(RuntimeError):  # The loop has closed, so there is nothing to cancel.
                    loop.call_soon_threadsafe(_cancel_all, loop)
            raise


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    for task in asyncio.all_tasks(loop):
        task.cancel()
