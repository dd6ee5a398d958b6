"""Costs of hosts: the first plugin, a fresh host, many plugins, and one plugin shown by the real host."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from bench.measure import Command, Figure, divide_costs, least_time
from bench.plugins import make_home
from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.hosts import default_release
from hermes_sdk.hosts.environments import environment
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.hosts.real.servers import host_variables

SUBJECTS = Path(__file__).parent / "subjects"
SOURCES = Path(__file__).parents[1] / "tests" / "sources.toml"
_FIRST = """\
from pathlib import Path
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
open_host("embedded", {release!r}, Home(Path({home!r}))).close()
"""


def figures() -> Iterator[Figure]:
    """Measure hosts; homes are on disk, the real host has no bundled plugins, and both have compiled bytecode."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        scratch = Path(name)
        one = make_home(scratch / "one", 1)
        yield _first_plugin(one)
        yield Figure("fresh host / real, 1 plugin", divide_costs(*both("fresh", one), rounds=5)["cpu"], 0.26)
        for count, limit, rounds in ((1000, 1 / 5, 5), (3000, 1 / 7, 3)):
            home = make_home(scratch / str(count), count)
            found = divide_costs(*both("load", home), rounds=rounds)
            yield Figure(f"load {count} plugins / real, time", found["cpu"], limit)
            yield Figure(f"load {count} plugins / real, memory", found["memory"], 1.0)
        yield _measure_show(one)


def embedded(measurement: str, home: Path, release: str = contract.DEFAULT) -> Command:
    """Return the command that measures the embedded host."""
    return Command([sys.executable, str(SUBJECTS / "embedded.py"), measurement, str(home), release])


def real(measurement: str, home: Path) -> Command:
    """Return the command that measures the real host of the same release, which is installed if necessary."""
    empty = home.parent / "empty"
    empty.mkdir(exist_ok=True)
    # Upstream publishes no wheel of this release.
    with patch.dict(os.environ, HERMES_SDK_SOURCES=str(SOURCES)):
        python = str(environment(contract.DEFAULT).python)
    variables = {"HOME": str(empty), **host_variables(home, empty)}
    return Command([python, str(SUBJECTS / "real.py"), measurement], env=variables)


def both(measurement: str, home: Path) -> tuple[Command, Command]:
    """Return the commands that measure the embedded and the real host."""
    return embedded(measurement, home), real(measurement, home)


def _first_plugin(home: Path) -> Figure:
    program = _FIRST.format(release=contract.DEFAULT, home=str(home))
    first, nothing = (Command([sys.executable, "-c", text]) for text in (program, "pass"))
    first.cpu()
    rounds = [(first.cpu(), nothing.cpu()) for _ in range(25)]
    over = min(one for one, _ in rounds) - min(other for _, other in rounds)
    return Figure("first plugin of a process, CPU over `pass`", 1000 * over, 72, "ms")


def _measure_show(home: Path) -> Figure:
    def show() -> None:
        with RealHost(Home(home), default_release("real")) as host:
            host.report()

    return Figure("show on the real host, its server running", 1000 * least_time(show, 30), 18, "ms")
