"""Measurements of benchmarks: alternating in one run, and as ratios if there is a base to compare with."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time


@dataclass(frozen=True)
class Figure:
    """A measured value and the limit that it must not exceed: a ratio, or in the unit `unit`."""

    name: str
    value: float
    limit: float
    unit: str = "x"

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def on_machine(self, slowness: float) -> Figure:
        """Return the figure with its limit adjusted to the speed of this machine, if it is a time.

        Args:
            slowness: See `measure_slowness`; a faster machine gets no lower limit.
        """
        return replace(self, limit=self.limit * max(slowness, 1)) if self.unit in ("s", "ms") else self


_DOCUMENT = {"plugins": [{"name": f"plugin-{number}", "tools": [f"tool-{number}"] * 5} for number in range(40)]}
_WORK_TIME = 0.0026
"""Seconds that `_work` took where the limits in seconds were set."""


def measure_slowness() -> float:
    """Return the time of a fixed piece of work as a multiple of its time where limits in seconds were set."""
    return min(_work() for _ in range(50)) / _WORK_TIME


def _work() -> float:
    begin = process_time()
    for _ in range(10):
        text = json.dumps(_DOCUMENT, indent=1)
        counts = Counter(re.findall(r"\w+", text))
        sorted(json.loads(text)["plugins"], key=lambda one: counts[one["name"]])
    return process_time() - begin


@dataclass(frozen=True)
class Command:
    """A command to measure; `env` is added to this process's environment, and `exits` are the codes of a success."""

    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    exits: Collection[int] = (0,)

    def cpu(self) -> float:
        """Run the command once, on one processor.

        Returns:
            The user and system time of the child and its descendants, in seconds.

        Raises:
            RuntimeError: The command failed, so its time is meaningless.
        """
        with _on_one_processor():
            process = subprocess.Popen(self.argv, stdout=subprocess.DEVNULL, env=self._environment(), cwd=self.cwd)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in self.exits:
            raise RuntimeError(f"exit code {process.returncode} from {' '.join(self.argv)}")
        return usage.ru_utime + usage.ru_stime

    def figures(self) -> dict[str, float]:
        """Run the command once, and return the figures that it prints as JSON.

        Raises:
            RuntimeError: The command failed; the message contains its output.
        """
        # Capture standard error: warnings of a real host do not belong in the table.
        done = subprocess.run(
            self.argv, capture_output=True, check=False, text=True, env=self._environment(), cwd=self.cwd
        )
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode} from {' '.join(self.argv)}\n{done.stderr}")
        measured: dict[str, float] = json.loads(done.stdout)
        return measured

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, **(self.env or {})}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment


def least_time(act: Callable[[], object], rounds: int, clock: Callable[[], float] = perf_counter) -> float:
    """Return the least time of some rounds in seconds, because other programs only add time; the first does not count.

    The default clock suits work of several processes; `process_time` suits work of this process alone.
    """

    def once() -> float:
        begin = clock()
        act()
        return clock() - begin

    once()
    return min(once() for _ in range(rounds))


@contextlib.contextmanager
def _on_one_processor() -> Iterator[None]:
    """Run the processes that the body starts on one processor, if the system allows it.

    Waking a thread on another processor costs up to three times as much.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(every)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def ratios(base: Command, cases: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """Compare the CPU time of cases with that of a base; runs alternate, so that a busy machine affects all of them.

    Args:
        base: The command to divide by.
        cases: The commands to compare, by name.
        rounds: How often each command is run, after one run that fills caches and is not counted.

    Returns:
        For each case the median of its ratios to the base of the same round.
    """
    for command in (base, *cases.values()):
        command.cpu()
    found: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        unit = median(base.cpu() for _ in range(3))
        for name, command in cases.items():
            found[name].append(command.cpu() / unit)
    return {name: median(values) for name, values in found.items()}


def divide_costs(case: Command, base: Command, rounds: int) -> dict[str, float]:
    """Run a case and a base alternately, each on one processor, and divide the case's figures by the base's.

    Args:
        case: A command that prints figures, none of them wall-clock times.
        base: A command that prints the same figures.
        rounds: How often each command is run, after one run that fills caches and is not counted.

    Returns:
        For each figure the ratio of the least values, since other programs only add time, for seconds at a time.
    """
    with _on_one_processor():
        found = [(case.figures(), base.figures()) for _ in range(rounds + 1)][1:]
    names = found[0][0]
    return {name: min(mine[name] for mine, _ in found) / min(theirs[name] for _, theirs in found) for name in names}
