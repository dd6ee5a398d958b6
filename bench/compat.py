"""Time of the matrix on the calculator of the guide, over the modelled releases and those of the package index.

The figures are wall-clock times, since cells run in parallel. Each is the least of a few alternating runs, since other
programs only add time. The environments of real hosts are created before the measurement.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from bench.measure import Figure
from hermes_sdk.compat.cells import Cell, parse, plan
from hermes_sdk.compat.matrix import matrices
from hermes_sdk.contract.sources import find_source
from hermes_sdk.hosts.environments import list_releases
from hermes_sdk.manifest import Located, locate

ROUNDS = 3
_WORKERS = 3
_PROJECT = Path(__file__).parent / "subjects" / "calculator"


def figures() -> Iterator[Figure]:
    """Measure the matrix; the limits are for two processors, for which a matrix uses three processes."""
    with_tests = locate(_PROJECT)
    without = with_tests._replace(project=with_tests.directory)
    embedded, real = [*plan()], _real_cells()
    _run(without, real, workers=_WORKERS)
    quick = _least(
        {
            "embedded, with tests": lambda: _run(with_tests, embedded, workers=_WORKERS),
            "one by one": lambda: _run(with_tests, embedded, workers=1),
            "real, load and report": lambda: _run(without, real, workers=_WORKERS),
        },
        ROUNDS,
    )
    slow = _least({"real, with tests": lambda: _run(with_tests, real, workers=_WORKERS)}, 1)
    yield Figure(f"compat, {len(embedded)} releases embedded, 50 tests", quick["embedded, with tests"], 10, "s")
    yield Figure(f"compat, {len(real)} releases real, load and report", quick["real, load and report"], 3, "s")
    yield Figure(f"compat, {len(real)} releases real, 50 tests", slow["real, with tests"], 20, "s")
    if (os.cpu_count() or 1) > 1:
        yield Figure("compat, side by side / one by one", quick["embedded, with tests"] / quick["one by one"], 1 / 1.4)


def _real_cells() -> list[Cell]:
    sources = {release: find_source(release) for release in list_releases()}
    return [parse(f"real:{release}") for release, source in sources.items() if source and source.requirement]


def _run(plugin: Located, cells: list[Cell], *, workers: int) -> float:
    """Run a matrix and return its duration.

    Raises:
        RuntimeError: A cell failed, so its time is meaningless.
    """
    begin = perf_counter()
    (matrix,) = matrices([plugin], cells, base=_PROJECT, workers=workers)
    seconds = perf_counter() - begin
    for one in matrix.outcomes:
        if one.verdict != "passes":
            raise RuntimeError(f"{one.cell.name} {one.verdict}: {one.error}\n{one.log}")
    return seconds


def _least(cases: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    found = [{name: case() for name, case in cases.items()} for _ in range(rounds)]
    return {name: min(one[name] for one in found) for name in cases}
