"""The embedded host; see the package."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from statistics import linear_regression
from time import process_time

from timing import answer, resident_memory, seconds, typical

from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.llm import call, say

ARGUMENTS = {name: name for name in ("tool_name", "args", "result", "task_id", "session_id", "turn", "model", "cwd")}


def load(home: Home) -> None:
    """Discover and load all plugins of a home, once."""
    begin = process_time()
    with EmbeddedHost(home):
        answer(cpu=process_time() - begin, memory=resident_memory())


def fresh(home: Home) -> None:
    """Open a host and close it, in a process that did so before."""
    EmbeddedHost(home).close()
    answer(cpu=seconds(lambda: EmbeddedHost(home).close()))


def hooks(home: Home) -> None:
    """Fire a hook with 1, 10 and 100 callbacks."""
    figures = {}
    with EmbeddedHost(home) as host:
        hooks = host._sweep.hooks
        for count in (1, 10, 100):
            hooks.callbacks["post_tool_call"] = [_nothing] * count
            figures[str(count)] = seconds(lambda: hooks.fire("post_tool_call", **ARGUMENTS))
    answer(**figures)


def _nothing(**_: object) -> None:
    pass


def grow(home: Home) -> None:
    """Open and close 10,000 hosts, and tell by how much memory and blocks in use grew after the first 2,000."""
    for _ in range(2_000):
        EmbeddedHost(home).close()
    before = _held()
    for _ in range(8_000):
        EmbeddedHost(home).close()
    after = _held()
    answer(memory=after[0] / before[0], blocks=after[1] / before[1])


def turn(home: Home) -> None:
    """Take a turn with one tool call, in a session of its own."""
    with EmbeddedHost(home) as host:
        answer(turn=typical(lambda: _take_turn(host), 300))


def turns(home: Home) -> None:
    """Take 10,000 turns and close the host every 100, and tell by how many KiB a turn the memory grew on average."""
    held = []
    for _ in range(100):
        with EmbeddedHost(home) as host:
            for _ in range(100):
                _take_turn(host)
        held.append(resident_memory())
    # The first of them fill caches and the allocator's arenas.
    settled = held[20:]
    answer(slope=linear_regression(range(len(settled)), settled).slope / 100)


def _take_turn(host: EmbeddedHost) -> None:
    host.llm.script(call("tool_0000"), say("done"))
    host.chat("Use the tool.")
    host.finish()


def _held() -> tuple[int, int]:
    gc.collect()
    return resident_memory(), sys.getallocatedblocks()


if __name__ == "__main__":
    globals()[sys.argv[1]](Home(Path(sys.argv[2])))
