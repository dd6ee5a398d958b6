"""Daemon threads that process a queue."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any

_POOLS = itertools.count()

_Work = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


class Workers:
    """Runs work on up to `count` threads, in the order of submission.

    Unlike those of an executor, the threads are daemons, and leaving the block does not wait for them: plugin code that
    hangs does not delay the timeout of a test or the end of the process. Without a name, threads are named like those
    of an executor; `numbered` adds a number to their names.
    """

    def __init__(self, count: int, name: str = "", *, numbered: bool = True) -> None:
        self._count = count
        self._name = name or f"ThreadPoolExecutor-{next(_POOLS)}"
        self._numbered = numbered
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        """Queue a call; its future holds the result or exception, including `SystemExit`."""
        future: Future[Any] = Future()
        self._queue.put((future, partial(copy_context().run, work), args))
        if len(self._threads) < self._count:
            name = f"{self._name}_{len(self._threads)}" if self._numbered else self._name
            thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def close(self) -> None:
        """End each thread once the queue is empty."""
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
