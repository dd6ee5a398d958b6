"""Costs of a host on a warm fork server, such as the two thousand that `make test` opens: loading plugins, and a turn.

It also compares two runs of a template's tests: on the server of an earlier run, and on the embedded host.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.measure import Command, Figure
from bench.plugins import make_home
from bench.subjects import staying
from hermes_sdk.home import Home
from hermes_sdk.hosts.environments import environment, find_newest_release
from hermes_sdk.hosts.real import warm
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.hosts.real.servers import Server, server
from hermes_sdk.llm import say

LIMITS = {"0.13.0": (40, 200), "0.19.0": (50, 300)}
"""Milliseconds for each release: of a host that only loads, and of one that takes a turn."""

ROUNDS = 10

RUNS_LIMIT = 5
RUNS = 3


def figures() -> Iterator[Figure]:
    """Measure the CPU time of the server and its children; from the second child on, the agent's code is loaded."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        for release, limits in LIMITS.items():
            home = Home(make_home(Path(name, release), 1))
            running = server(environment(release))
            for what, play, limit in zip(("load", "turn"), (_load, _chat), limits, strict=True):
                milliseconds = 1000 * _mean(partial(play, home, release), running)
                yield Figure(f"{what} on a warm server, {release}, CPU", milliseconds, limit, "ms")
    yield Figure(
        f"pytest of a template, real {find_newest_release()} again / embedded, CPU", _compare_runs(), RUNS_LIMIT
    )


def _compare_runs() -> float:
    """Return the ratio of the CPU times of whole runs, including the server and its children for the real host."""
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        servers = Path(name, "servers")
        new = [str(Path(sys.executable).with_name("hermes-sdk")), "new", "plugin", "--no-input", "--output-dir", name]
        subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
        (project,) = (one.parent for one in Path(name).glob("*/pyproject.toml"))
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        embedded = Command([*tests, "--hermes-host", "embedded"], cwd=project)
        real = Command(
            [
                *tests,
                "-p",
                "bench.subjects.staying",
                "--hermes-host",
                "real",
                "--hermes-release",
                find_newest_release(),
            ],
            env={staying.VARIABLE: str(servers), "PYTHONPATH": str(Path(__file__).parents[1])},
            cwd=project,
        )
        embedded.cpu()
        # Warm up: the first run fills caches, which the second run reads.
        real.cpu()
        real.cpu()
        (running,) = warm.list_running(servers)
        try:
            ours = min(embedded.cpu() for _ in range(RUNS))
            before = _cpu(running.pid)
            return (sum(real.cpu() for _ in range(RUNS)) + _cpu(running.pid) - before) / RUNS / ours
        finally:
            warm.stop(servers)


def _load(home: Home, release: str) -> None:
    with RealHost(home, release) as host:
        host.report()


def _chat(home: Home, release: str) -> None:
    with RealHost(home, release) as host:
        host.llm.script(say("done"))
        host.chat("go")


def _mean(play: Callable[[], None], running: Server) -> float:
    """Return the mean duration of a play in seconds, after two plays that warm up the server."""
    running.warm("agent")
    play()
    play()
    before = _cpu(running.pid)
    for _ in range(ROUNDS):
        play()
    return (_cpu(running.pid) - before) / ROUNDS


def _cpu(pid: int | None) -> float:
    """Return the CPU time of a process and its ended children, in seconds."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
