"""Costs of a message to an embedded gateway, and memory that open and closed gateways keep."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.host import embedded
from bench.measure import Figure
from bench.plugins import make_platform

CHATS, MESSAGES = 1_000, 10


def figures() -> Iterator[Figure]:
    """Measure the costs of messages; this fails if a message is lost, arrives too early, or reaches another chat."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        home = make_platform(Path(name) / "home")
        found = embedded("messages", home).figures()
        yield Figure(f"{CHATS:,} chats × {MESSAGES} messages, CPU a message", 1000 * found["cpu"], 5, "ms")
        yield Figure("the same, time on the clock a message", 1000 * found["clock"], 10, "ms")
        # With an arena for each thread, glibc would keep freed memory.
        growth = replace(embedded("one_gateway", home), env={"MALLOC_ARENA_MAX": "1"}).figures()["growth"]
        yield Figure("20,000 messages to one gateway, growth", growth, 40, "MiB")
        slope = replace(embedded("gateways", home), env={"MALLOC_ARENA_MAX": "1"}).figures()["slope"]
        yield Figure("20,000 messages to 200 gateways, growth a message", slope, 0.05, "KiB")
