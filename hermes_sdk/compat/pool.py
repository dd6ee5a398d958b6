"""Pool of runner processes that run cells in parallel; idle runners are reused until this process ends."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from hermes_sdk.cache import cache_dir
from hermes_sdk.compat.cells import Job
from hermes_sdk.compat.outcomes import Outcome
from hermes_sdk.contract.sources import chosen_sources
from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.processes.process import child_environment, python_command, start_connected
from hermes_sdk.journal import scratch_directory
from hermes_sdk.requirements import allowed_addresses

_PATIENCE = 5.0


def run(jobs: Sequence[Job], workers: int | None = None) -> Iterator[tuple[int, Outcome]]:
    """Run cells in parallel.

    Args:
        jobs: The cells, in the order in which they start.
        workers: The number of parallel cells. Default: one more than processors, since a cell also waits.

    Yields:
        The index of each job in `jobs` and its outcome, when the job has finished.
    """
    count = min(workers or (os.cpu_count() or 1) + 1, len(jobs))
    free: queue.SimpleQueue[_Runner] = queue.SimpleQueue()
    variables = {"HERMES_SDK_CACHE": str(cache_dir()), **chosen_sources(), **allowed_addresses()}
    runners = [_take_idle(variables) or _Runner(variables) for _ in range(count)]
    for runner in runners:
        free.put(runner)

    def answer(job: Job) -> Outcome:
        runner = free.get()
        try:
            return runner.answer(job)
        finally:
            free.put(runner)

    executor = ThreadPoolExecutor(max(count, 1))
    try:
        futures: dict[Future[Outcome], int] = {executor.submit(answer, job): place for place, job in enumerate(jobs)}
        for done in as_completed(futures):
            yield futures[done], done.result()
        _idle.extend(runners)
    except BaseException:
        for runner in runners:
            runner.close()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


class _Runner:
    """A process of `hermes_sdk.compat.runner`, which is replaced if it ends."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        self._is_closed = False
        self._start()

    def _start(self) -> None:
        self._stack = contextlib.ExitStack()
        self._scratch = scratch = self._stack.enter_context(scratch_directory("hermes-sdk-compat-"))
        environment = child_environment(scratch, scratch, self.variables)
        self._process, self._channel = start_connected(python_command("hermes_sdk.compat.runner"), environment, scratch)
        self._answers = self._channel.makefile("rb")

    def begin(self) -> None:
        """Prepare for another matrix, since plugins may have changed."""
        if self._scratch.is_dir():
            # Sending fails if the process has ended.
            with contextlib.suppress(OSError):
                self._channel.sendall(b"null\n")
                return
        self._stop()
        self._start()

    def answer(self, job: Job) -> Outcome:
        """Run a cell and return its outcome."""
        line = b""
        with contextlib.suppress(OSError):
            self._channel.sendall(json.dumps(job).encode() + b"\n")
            line = self._answers.readline()
        if line:
            return Outcome.read(parse_json(line))
        if not self._is_closed:
            self._stop()
            self._start()
        return Outcome(job.cell, None, "the worker process ended")

    def close(self) -> None:
        """End the process and its children."""
        self._is_closed = True
        self._stop()

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()
        self._channel.close()
        self._stack.close()


_idle: list[_Runner] = []


def _take_idle(variables: Mapping[str, str]) -> _Runner | None:
    """Return an idle runner with these variables, or None; close runners with others."""
    while _idle:
        runner = _idle.pop()
        if runner.variables == variables:
            runner.begin()
            return runner
        runner.close()
    return None


@atexit.register
def _close_idle() -> None:
    while _idle:
        _idle.pop().close()
