"""Memory use of a gateway: it stores the data of messages only once."""

from __future__ import annotations

import gc
import logging
import tracemalloc

import _pytest.logging
import pytest

from hermes_sdk.hosts.interface import Gateway

from .gateways import Start, open_gateway, start_host

MOST = 2048
"""Maximum number of bytes per message, including its effects."""


def converse(gateway: Gateway, chats: int, messages: int) -> None:
    """Send a number of messages from several chats."""
    users = [gateway.dm(f"u{number}") for number in range(chats)]
    for turn in range(messages // chats):
        gateway.llm.script(*["fine"] * chats)
        for user in users:
            user.says(f"hello {turn}")
        gateway.settle(60)


def growths(gateway: Gateway, chats: int, messages: int) -> list[float]:
    """Return the growth of memory in bytes per message, in the second quarter and in the second half."""
    quarter = messages // 4
    held = []
    tracemalloc.start()
    try:
        for count in (quarter, quarter, 2 * quarter):
            converse(gateway, chats, count)
            held.append(measure_memory())
    finally:
        tracemalloc.stop()
    return [(held[1] - held[0]) / quarter, (held[2] - held[1]) / (2 * quarter)]


def measure_memory() -> int:
    """Return the bytes in use, without the log records that pytest keeps."""
    gc.collect()
    theirs = (logging.__file__, _pytest.logging.__file__)
    snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(False, file) for file in theirs])
    return sum(one.size for one in snapshot.statistics("filename"))


@pytest.mark.parametrize(("chats", "messages"), [(1, 120), pytest.param(50, 800, marks=pytest.mark.slow)])
def test_memory_grows_linearly_with_messages(start: Start, chats: int, messages: int) -> None:
    gateway = open_gateway(start)
    assert max(growths(gateway, chats, messages)) < MOST
    each = messages // chats
    assert [len(gateway.dm(f"u{number}").sent) >= each for number in range(chats)] == [True] * chats
    asked = sorted(len(one.messages) for one in gateway.llm.requests)
    assert asked == sorted(2 * number for number in range(1, each + 1) for _ in range(chats))


def test_recorded_requests_share_messages(start: Start) -> None:
    host = start_host(start)
    host.recording.keep()
    first, second = growths(host.gateway(), 1, 120)
    assert second < 1.2 * first
    asked = [len(one["arguments"]["messages"]) for one in host.events if one["kind"] == "llm_request"]
    assert asked == [2 * number for number in range(1, 121)]
