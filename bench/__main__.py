"""Run every benchmark and print a table of figures, limits and verdicts."""

from __future__ import annotations

import os
import sys
from types import ModuleType

from rich.console import Console
from rich.table import Table

from bench import (
    add,
    check,
    compat,
    gateway,
    hooks,
    host,
    inspector,
    memory,
    new,
    nix,
    recording,
    standins,
    startup,
    suites,
    turns,
    verify,
    view,
    warm,
)
from bench.measure import Figure, measure_slowness

BENCHES = (
    startup,
    new,
    add,
    check,
    host,
    standins,
    hooks,
    turns,
    gateway,
    suites,
    warm,
    compat,
    verify,
    inspector,
    recording,
    view,
    nix,
    memory,
)


def main() -> int:
    console = Console()
    with console.status("Measuring; this takes some minutes"):
        figures = [figure for bench in BENCHES for figure in _judge(bench)]
    table = Table("Figure", "Measured", "Limit", "Verdict", title="CPU time and memory, in interleaved rounds")
    for figure in figures:
        verdict = "[green]holds[/]" if figure.holds else "[red]too much[/]"
        table.add_row(figure.name, f"{figure.value:.3g} {figure.unit}", f"{figure.limit:.3g}", verdict)
    console.print(table)
    console.print("Limits in seconds are higher where this machine was slower than the one that they were set on.")
    console.print("Load of the machine: {:.2f} {:.2f} {:.2f}".format(*os.getloadavg()))
    return 0 if all(figure.holds for figure in figures) else 1


def _judge(bench: ModuleType) -> list[Figure]:
    """Run a benchmark, and adjust its limits to the machine's speed, which is measured before and after."""
    before = measure_slowness()
    figures = list(bench.figures())
    slowness = (before + measure_slowness()) / 2
    return [figure.on_machine(slowness) for figure in figures]


if __name__ == "__main__":
    sys.exit(main())
