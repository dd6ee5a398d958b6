"""Daemon threads that process a queue."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any

_Work = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


class Workers:
    """Runs work in the order in which it is submitted.

    Unlike those of an executor, the threads are daemons, and leaving the block does not wait for them: plugin code that
    hangs on one keeps neither a test beyond its time limit nor the process from ending.

    Args:
        count: How many threads there are at most.
        name: The prefix of their names. Default: that of pools of the host without a name.
    """

    def __init__(self, count: int, name: str = "ThreadPoolExecutor") -> None:
        self._count = count
        self._name = name
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        """Queue a call; its future holds what it returns or raises, `SystemExit` included."""
        future: Future[Any] = Future()
        self._queue.put((future, partial(copy_context().run, work), args))
        if len(self._threads) < self._count:
            name = f"{self._name}_{len(self._threads)}"
            thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def close(self) -> None:
        """Let each thread end when the queue is done."""
        for _ in self._threads:
            self._queue.put(None)

    def _run(self) -> None:
        while (task := self._queue.get()) is not None:
            future, work, args = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work(*args)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            # References to the task must not outlive it while the thread waits for the next one.
            del task, future, work, args
