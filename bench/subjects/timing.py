"""Clocks of both subjects; standard library only, because the real host's environment has nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

SLICES = 31


def seconds(function: Callable[[], object], slices: int = SLICES) -> float:
    """Return the CPU time of one call: the least of many slices of ten milliseconds, to exclude other programs."""
    begin = process_time()
    function()
    calls = max(1, int(0.01 / max(process_time() - begin, 1e-7)))
    return min(_slice(function, calls) for _ in range(slices))


def _slice(function: Callable[[], object], calls: int) -> float:
    begin = process_time()
    for _ in range(calls):
        function()
    return (process_time() - begin) / calls


def typical(function: Callable[[], object], calls: int) -> float:
    """Return the median wall-clock time of one call in seconds, after one that is not counted."""
    function()
    times = []
    for _ in range(calls):
        begin = perf_counter()
        function()
        times.append(perf_counter() - begin)
    return median(times)


def resident_memory() -> int:
    """Return the memory of this process in KiB, or its peak if the system does not report the current value."""
    status = Path("/proc/self/status")
    if not status.exists():
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak // 1024 if sys.platform == "darwin" else peak
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


def answer(**figures: float) -> None:
    """Print the measured figures."""
    print(json.dumps(figures))
