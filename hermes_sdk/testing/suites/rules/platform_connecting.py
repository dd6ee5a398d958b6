"""HS913 to HS923: connecting, reconnecting and disconnecting."""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import Any

from . import platform_lab
from .base import NotApplicable, SuiteRules, demand
from .platform_lab import MOMENT, Lab, connects, end, real_sleep
from .time_limit import find_place_of_task, wait_in_time

RULES = SuiteRules()
rule = functools.partial(platform_lab.rule, RULES)

_BLOCKED = 0.4
_HIDDEN = "The gateway treats it as a failure, and retries with a new adapter"


@rule("HS913", "Messages are lost, or the gateway connects again.")
async def it_connects_and_reports_it(test: Lab) -> None:
    """connect returns True and calls _mark_connected; disconnect calls _mark_disconnected."""
    assert test.far
    adapter = test.adapter()
    answer = await adapter.connect()
    try:
        why = f" ({adapter.fatal_error_message})" if adapter.has_fatal_error else ""
        demand(answer is True, f"connect() returned {answer!r}{why}")
        demand(adapter.is_connected, "is_connected is false after connect(); call self._mark_connected()")
    finally:
        await end(adapter)
    demand(not adapter.is_connected, "is_connected is true after disconnect(); call self._mark_disconnected()")


@rule("HS914", "The gateway reports an error when it stops, and other platforms wait.")
async def it_can_be_disconnected_at_any_time(test: Lab) -> None:
    """The host also disconnects adapters that never connected, and some of them twice."""
    adapter = test.adapter()
    await adapter.disconnect()
    async with test.connect() as adapter:
        await adapter.disconnect()
        await adapter.disconnect()


@rule("HS915", "After an outage or a pause, the platform stays silent until the gateway restarts.")
async def it_can_be_connected_again(test: Lab) -> None:
    """The host connects with is_reconnect=True after an outage, and may do so with the same adapter."""
    async with test.connect() as adapter:
        await adapter.disconnect()
        demand(await _reconnect(adapter), "connect() after disconnect() fails")
        await test.demand_sent(adapter, "here again", "after it connected again")


async def _reconnect(adapter: Any) -> Any:
    options = {"is_reconnect": True}
    takes = inspect.signature(adapter.connect).parameters
    return await adapter.connect(**{name: value for name, value in options.items() if name in takes})


@rule("HS916", f"{_HIDDEN}; the log shows a traceback, or the platform is disabled permanently.")
async def it_reports_failure_when_nobody_answers(test: Lab) -> None:
    """A server can come back: connect returns False, and a fatal error that it sets is retryable."""
    async with test.connect() as adapter:
        await adapter.disconnect()
    adapter = test.adapter()
    test.far.ask("refuse")
    answer = await connects(test, adapter)
    demand(answer is False, f"connect() returned {answer!r} while connections are refused")
    given_up = adapter.has_fatal_error and not adapter.fatal_error_retryable
    demand(not given_up, f"it reports a permanent error: {adapter.fatal_error_message}; set retryable=True")
    test.far.ask("accept")
    demand(await adapter.connect(), "connect() fails when the server is back")
    await end(adapter)


@rule("HS917", "It retries wrong credentials until the server locks the account or the address.")
async def it_gives_up_when_refused(test: Lab) -> None:
    """An error that only a person can fix is fatal and not retryable."""
    async with test.connect() as adapter:
        await adapter.disconnect()
    adapter = test.adapter()
    test.far.ask("forbid")
    answer = await connects(test, adapter)
    demand(answer is False, f"connect() returned {answer!r} although the server rejects the credentials")
    demand(adapter.has_fatal_error, "it reports no error; call self._set_fatal_error(code, message, retryable=False)")
    demand(not adapter.fatal_error_retryable, f"it reports a retryable error: {adapter.fatal_error_message}")
    await end(adapter)


@rule("HS918", "The platform stays silent until somebody restarts the gateway.")
async def it_reconnects_after_an_outage(test: Lab) -> None:
    """The adapter restores a lost connection, or sets a retryable fatal error, so that the host does."""
    async with test.connect() as adapter:
        test.far.ask("refuse")
        await test.becomes(lambda: not adapter.is_connected, MOMENT)
        test.far.ask("accept")
        if adapter.has_fatal_error and adapter.fatal_error_retryable:
            await adapter.disconnect()
            demand(await _reconnect(adapter), "it cannot reconnect")
        await _demand_back(test, adapter)


async def _demand_back(test: Lab, adapter: Any) -> None:
    """Raise `Broken` unless the adapter receives messages after an outage."""
    back = await test.becomes(lambda: adapter.is_connected)
    demand(back, "the server is back, but is_connected stays false")
    await test.demand_sent(adapter, "back again", "after an outage")
    await test.demand_heard(adapter, "still there?", "after an outage")


@rule(
    "HS919", "After a few thousand attempts, the gateway runs out of file descriptors; the server keeps a dead client."
)
async def it_closes_its_connections(test: Lab) -> None:
    """disconnect closes each connection, including those of an attempt that failed."""
    async with test.connect() as adapter:
        demand(test.far.ask("connections"), "connect() returned True without a connection")
        await adapter.disconnect()
        await test.demand_hung_up("after disconnect()")


@rule("HS920", "The gateway exits with 'Task was destroyed but it is pending', or does not exit.")
async def it_leaves_no_task_behind(test: Lab) -> None:
    """Tasks that connect or a message started have ended when disconnect returns."""
    before = asyncio.all_tasks()
    async with test.connect() as adapter:
        await adapter.send(test.far.chat, "the last words")
    await test.demand_tasks_ended(before, "after disconnect()")


@rule("HS921", "The gateway does not stop, or the adapter reconnects on its own.")
async def it_can_be_stopped_in_an_outage(test: Lab) -> None:
    """disconnect also stops attempts to reconnect."""
    async with test.connect() as adapter:
        test.far.ask("refuse")
        await test.becomes(lambda: not adapter.is_connected, MOMENT)
        await real_sleep(MOMENT / 4)
        await wait_in_time(adapter.disconnect(), test.settings["patience"], "disconnect() in an outage", test.directory)
        test.far.ask("accept")
        await real_sleep(MOMENT / 2)
        demand(not adapter.is_connected, "it reconnected after disconnect()")


@rule("HS922", "The gateway hangs while it starts, or each attempt leaks a connection.")
async def connecting_can_be_cancelled(test: Lab) -> None:
    """The host cancels a connect that takes longer than 30 seconds, and shutdown cancels it at any time."""
    test.far.ask("hang")
    before = asyncio.all_tasks()
    adapter = test.adapter()
    task = asyncio.ensure_future(adapter.connect())
    await real_sleep(MOMENT / 2)
    if task.done():
        await end(adapter)
        raise NotApplicable("connect() does not wait for an answer")
    task.cancel()
    await asyncio.wait([task], timeout=test.settings["patience"])
    demand(task.done(), f"connect() continues after it was cancelled{find_place_of_task(test.directory, task)}")
    demand(task.cancelled(), "connect() swallows its cancellation; let asyncio.CancelledError propagate")
    await test.demand_tasks_ended({*before, task}, "after a connect() that was cancelled")
    await test.demand_hung_up("after a connect() that was cancelled")


@rule("HS923", "All platforms are blocked meanwhile: no message is read, and no answer is sent.")
async def it_does_not_block_the_event_loop(test: Lab) -> None:
    """All adapters and all chats share one event loop; run blocking code in asyncio.to_thread."""
    test.far.ask("hang")
    # A busy machine sometimes blocks the loop; a blocking adapter always does.
    blocked = min([await _measure_blocked_time(test) for _ in range(3)])
    demand(blocked < _BLOCKED, f"connect() blocked the loop for {blocked:.1f} s while the server did not respond")


async def _measure_blocked_time(test: Lab) -> float:
    """Return the longest time that the loop was blocked while an adapter connected."""
    clock, adapter = asyncio.get_running_loop().time, test.adapter()
    task = asyncio.ensure_future(adapter.connect())
    longest, last = 0.0, clock()
    for _ in range(10):
        await real_sleep(0.01)
        longest, last = max(longest, clock() - last), clock()
    task.cancel()
    await asyncio.wait([task], timeout=test.settings["patience"])
    await end(adapter)
    return longest
