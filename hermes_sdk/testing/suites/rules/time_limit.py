"""Time limit of a rule, and the current line of the plugin's code at a timeout."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import linecache
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Collection, Generator, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from .base import Broken

_RULES = Path(__file__).parent
TIMED_OUT = "timed out"
"""Beginning of the message of a `TimeUp`."""

_MAX_COROUTINE_DEPTH = 100

_INTERVAL = 0.3
"""Seconds between checks of the plugin's current line, once some of its code is known to hang."""


class TimeUp(BaseException):
    """A rule timed out. It is not an Exception, so that neither the plugin nor the host catches it.

    Attributes:
        place: Current line of the plugin's code, as formatted by `find_place`, relative to the plugin.
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


@contextlib.contextmanager
def limit_time(seconds: float, plugin: Path, known: Collection[str] = ()) -> Generator[None]:
    """Raise `TimeUp`, with the plugin's current line, if the context is open for longer than `seconds`.

    Only the main thread has a limit, because Python delivers signals there. A timer that is already running continues
    afterwards.

    Args:
        seconds: The time limit.
        plugin: The plugin's directory.
        known: Places where the plugin hung before; at one of them, `TimeUp` is raised immediately.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    start = time.monotonic()

    def stop(_: int, frame: FrameType | None) -> None:
        found = find_place(plugin, frame)
        place = found.replace(f"{plugin}/", "")
        if place in known or time.monotonic() - start >= seconds:
            raise TimeUp(f"{TIMED_OUT} after {seconds:g} s{found}", place)

    handler = signal.signal(signal.SIGALRM, stop)
    # Repeat each second, because plugin code may have caught the first exception.
    first, interval = (min(_INTERVAL, seconds), _INTERVAL) if known else (seconds, 1.0)
    left, interval = signal.setitimer(signal.ITIMER_REAL, first, interval)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - start), 0.001), interval)


async def wait_in_time(awaitable: Awaitable[Any], seconds: float, what: str, plugin: Path) -> Any:
    """Await something; raise `Broken` with the hanging await after a timeout."""
    task = asyncio.ensure_future(awaitable)
    try:
        await asyncio.wait([task], timeout=seconds)
        if task.done():
            return task.result()
        place = find_place_of_task(plugin, task)
        raise Broken(f"{what} has not returned after {seconds:g} s{place}")
    finally:
        task.cancel()
        await asyncio.wait([task], timeout=seconds)


def find_place(plugin: Path, frame: FrameType | None) -> str:
    """Format the current line of the plugin's code: in this frame, in a task of its event loop, or in another thread.

    Returns:
        Such as ``, in sync_turn() at notes/__init__.py:12: `time.sleep(30)` ``; empty if no plugin code is running.
    """
    stacks = [_frames(frame)]
    stacks += [_frames(one) for ident, one in _threads() if ident != threading.get_ident()]
    # Prefer code called by the rule or the host over the plugin's own threads.
    stacks = stacks[:1] + sorted(stacks[1:], key=lambda stack: not any(_is_rule(one) for one in stack))
    for stack in stacks:
        if place := _format_place(plugin, stack):
            return place
        for loop in _loops(stack):
            chains = [_chain(task.get_coro()) for task in asyncio.all_tasks(loop)]
            for chain in sorted(chains, key=lambda chain: not any(_is_rule(one) for one in chain)):
                if place := _format_place(plugin, chain):
                    return place
    return ""


def find_place_of_thread(plugin: Path, thread: threading.Thread) -> str:
    """Format the current line of the plugin's code in a thread, like `find_place`."""
    return _format_place(plugin, _frames(dict(_threads()).get(thread.ident or 0)))


def find_place_of_task(plugin: Path, task: asyncio.Future[Any]) -> str:
    """Format the current await of the plugin's code in a task, like `find_place`."""
    return _format_place(plugin, _chain(task.get_coro())) if isinstance(task, asyncio.Task) else ""


def _threads() -> list[tuple[int, FrameType]]:
    # Python 3.11 holds a lock here that destructors may need, so a garbage collection could deadlock
    # (https://github.com/python/cpython/issues/106883).
    collects = gc.isenabled()
    gc.disable()
    try:
        return list(sys._current_frames().items())  # pyright: ignore[reportPrivateUsage]
    finally:
        if collects:
            gc.enable()


def _frames(frame: FrameType | None) -> list[FrameType]:
    """Return the frames of a stack, the outermost first."""
    found: list[FrameType] = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found[::-1]


def _loops(stack: list[FrameType]) -> Iterator[asyncio.AbstractEventLoop]:
    """Yield the event loops that are running in a stack."""
    for frame in stack:
        found = frame.f_locals.get("self") if frame.f_code.co_name == "run_forever" else None
        if isinstance(found, asyncio.AbstractEventLoop):
            yield found


def _chain(awaited: Any) -> list[FrameType]:
    """Return the frames of a coroutine and of the coroutines that it awaits, the outermost first."""
    found: list[FrameType] = []
    while awaited is not None and len(found) < _MAX_COROUTINE_DEPTH:
        for kind in ("cr", "ag", "gi"):
            if frame := getattr(awaited, f"{kind}_frame", None):
                found.append(frame)
        nested = [getattr(awaited, name, None) for name in ("cr_await", "ag_await", "gi_yieldfrom")]
        awaited = next((_unwrap_awaited(one) for one in nested if one is not None), None)
    return found


def _unwrap_awaited(awaited: Any) -> Any:
    """Return the coroutine or generator behind an awaited object, or None."""
    if isinstance(awaited, asyncio.Task):
        return awaited.get_coro()
    if inspect.iscoroutine(awaited) or inspect.isasyncgen(awaited) or inspect.isgenerator(awaited):
        return awaited
    # Steps of asynchronous generators and iterators of tasks expose what they await only to the garbage collector.
    behind = [one for one in gc.get_referents(awaited) if not isinstance(one, type)]
    for one in behind:
        if isinstance(one, asyncio.Task):
            return one.get_coro()
        if inspect.iscoroutine(one) or inspect.isasyncgen(one) or inspect.isgenerator(one):
            return one
    return None


def _is_rule(frame: FrameType) -> bool:
    return Path(frame.f_code.co_filename).parent.name == _RULES.name and "test" in frame.f_locals


def _format_place(plugin: Path, stack: list[FrameType]) -> str:
    own = [one for one in stack if Path(one.f_code.co_filename).is_relative_to(plugin)]
    if not own:
        return ""
    file, line = own[-1].f_code.co_filename, own[-1].f_lineno
    code = linecache.getline(file, line).strip()
    return f", in {own[0].f_code.co_name}() at {file}:{line}" + (f": `{code}`" if code else "")
