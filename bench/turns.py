"""Costs of a turn with one tool call, compared with the real host's agent, and memory that turns leak."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.host import embedded, real
from bench.measure import Figure
from bench.plugins import make_home
from hermes_sdk.hosts.model_config import write_model
from hermes_sdk.llm import ScriptedModel, call, say
from hermes_sdk.llm.server import Server

ROUNDS = 3
_ANSWERS = 40


def figures() -> Iterator[Figure]:
    """Measure wall-clock time, since the real host waits for its model; its delay between tools is 0."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        home = make_home(Path(name) / "home", 1)
        found = [(embedded("turn", home).figures()["turn"], _real(Path(name))) for _ in range(ROUNDS)]
        ours, theirs = (min(times) for times in zip(*found, strict=True))
        yield Figure("turn with a tool call, median", 1000 * ours, 2, "ms")
        yield Figure("turn with a tool call / real", ours / theirs, 1 / 30)
        # With an arena for each thread, glibc would keep freed memory.
        slope = replace(embedded("turns", home), env={"MALLOC_ARENA_MAX": "1"}).figures()["slope"]
        yield Figure("10,000 turns, growth a turn", slope, 0.03, "KiB")


def _real(folder: Path) -> float:
    model = ScriptedModel()
    model.script(*[call("tool_0000"), say("done")] * _ANSWERS)
    server = Server(model)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        home = make_home(Path(name) / "home", 1)
        write_model(home, server.base_url)
        measured = real("turn", home).figures()["turn"]
    server.close()
    return measured
