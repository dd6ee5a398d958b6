"""Measurements of the embedded host; see the package."""

from __future__ import annotations

import gc
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import linear_regression
from time import perf_counter, process_time

from timing import answer, resident_memory, seconds, typical

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.interface import ALLOW_ALL
from hermes_sdk.llm import call, say

ARGUMENTS = {name: name for name in ("tool_name", "args", "result", "task_id", "session_id", "turn", "model", "cwd")}


def load(home: Home, release: str) -> None:
    """Discover and load all plugins of a home, once."""
    begin = process_time()
    with EmbeddedHost(home, release):
        answer(cpu=process_time() - begin, memory=resident_memory())


def fresh(home: Home, release: str) -> None:
    """Open a host and close it, in a process that has done so before."""
    EmbeddedHost(home, release).close()
    answer(cpu=seconds(lambda: EmbeddedHost(home, release).close()))


def hooks(home: Home, release: str) -> None:
    """Fire a hook with 1, 10 and 100 callbacks."""
    _fire(home, release, ARGUMENTS)


def seven_arguments(home: Home, release: str) -> None:
    """Fire the same hook without one of its arguments, so that the host adds it."""
    _fire(home, release, {name: value for name, value in ARGUMENTS.items() if name != "cwd"})


def _fire(home: Home, release: str, arguments: dict[str, str]) -> None:
    figures = {}
    with EmbeddedHost(home, release) as host:
        hooks = host._registrations.hooks
        for count in (1, 10, 100):
            hooks.entries["post_tool_call"] = [_nothing] * count
            figures[str(count)] = seconds(lambda: hooks.invoke("post_tool_call", **arguments))
    answer(**figures)


def _nothing(**_: object) -> None:
    pass


def grow(home: Home, release: str) -> None:
    """Open and close 10,000 hosts, and print the growth of memory and blocks in use after the first 2,000."""
    with _variables_in_python_only():
        for _ in range(2_000):
            EmbeddedHost(home, release).close()
        before = _measure_memory()
        for _ in range(8_000):
            EmbeddedHost(home, release).close()
        after = _measure_memory()
    answer(memory=after[0] / before[0], blocks=after[1] / before[1])


def turn(home: Home, release: str) -> None:
    """Run a turn with one tool call, in its own session."""
    with EmbeddedHost(home, release) as host:
        answer(turn=typical(lambda: _take_turn(host), 300))


def turns(home: Home, release: str) -> None:
    """Run 10,000 turns, close the host every 100, and print the average growth of memory per turn in KiB."""
    held = []
    with _variables_in_python_only():
        for _ in range(100):
            with EmbeddedHost(home, release) as host:
                for _ in range(100):
                    _take_turn(host)
            held.append(_measure_memory()[0])
    # During the first measurements, caches and the allocator's arenas fill.
    settled = held[20:]
    answer(slope=linear_regression(range(len(settled)), settled).slope / 100)


def _take_turn(host: EmbeddedHost) -> None:
    host.llm.script(call("tool_0000"), say("done"))
    host.chat("Use the tool.")
    host.finish()


def messages(home: Home, release: str) -> None:
    """Let 1,000 chats write 10 messages each to one gateway, and print the cost of a message; each gets an answer."""
    with EmbeddedHost(home, release, environment=ALLOW_ALL) as host:
        begin, began = process_time(), perf_counter()
        _converse(host, 1_000, 10)
        answer(cpu=(process_time() - begin) / 10_000, clock=(perf_counter() - began) / 10_000)


def one_gateway(home: Home, release: str) -> None:
    """Let 200 chats write 100 messages each to one gateway, and print the growth of memory in MiB."""
    with EmbeddedHost(home, release, environment=ALLOW_ALL) as host:
        _converse(host, 1, 1)
        before = _measure_memory()[0]
        _converse(host, 200, 100, chat="v")
        answer(growth=(_measure_memory()[0] - before) / 1024)


def gateways(home: Home, release: str) -> None:
    """Open and close 200 gateways to which 10 chats write 10 messages, and print the KiB leaked per message."""
    held = []
    for _ in range(200):
        with EmbeddedHost(home, release, environment=ALLOW_ALL) as host:
            _converse(host, 10, 10)
        held.append(_measure_memory()[0])
    settled = held[100:]
    answer(slope=linear_regression(range(len(settled)), settled).slope / 100)


def _converse(host: EmbeddedHost, chats: int, count: int, chat: str = "u") -> None:
    gateway = host.gateway()
    users = [gateway.dm(f"{chat}{number}") for number in range(chats)]
    for turn in range(count):
        host.llm.script(*[lambda request: f"re {request.user_text.splitlines()[0]}"] * chats)
        for user in users:
            user.says(f"{user.source['user_id']} {turn}")
        gateway.settle(300)
    said: dict[str, list[str]] = {}
    for one in gateway.sent:
        if one.text.startswith(f"re {chat}"):
            said.setdefault(one.chat_id, []).append(one.text)
    names = [f"{chat}{number}" for number in range(chats)]
    assert said == {name: [f"re {name} {turn}" for turn in range(count)] for name in names}


def _variables_in_python_only() -> AbstractContextManager[object]:
    """Bypass the C library, which keeps every value that a variable ever had, such as session ids.

    Each value takes 0.1 KiB, on the real host too.
    """
    from unittest.mock import patch

    return patch("os.putenv", lambda name, value: None)  # noqa: ARG005


def _measure_memory() -> tuple[int, int]:
    gc.collect()
    return resident_memory(), sys.getallocatedblocks()


if __name__ == "__main__":
    globals()[sys.argv[1]](Home(Path(sys.argv[2])), sys.argv[3])
