"""How the benches measure: side by side in one run, as ratios wherever there is something to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One measured value and the limit that it must not pass: a ratio, or what `unit` says."""

    name: str
    value: float
    limit: float
    unit: str = "x"

    @property
    def holds(self) -> bool:
        return self.value <= self.limit


@dataclass(frozen=True)
class Command:
    """A command to measure; `env` is added to this process's environment, and `exits` are its codes for success."""

    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    exits: Collection[int] = (0,)

    def cpu(self) -> float:
        """Run the command once.

        Returns:
            The user and system time of the child and its descendants, in seconds.

        Raises:
            RuntimeError: The command failed, so that its time means nothing.
        """
        process = subprocess.Popen(self.argv, stdout=subprocess.DEVNULL, env=self._environment(), cwd=self.cwd)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in self.exits:
            raise RuntimeError(f"exit code {process.returncode} from {' '.join(self.argv)}")
        return usage.ru_utime + usage.ru_stime

    def figures(self) -> dict[str, float]:
        """Run the command once and return what it measured itself, which it prints as JSON."""
        done = subprocess.run(
            self.argv, stdout=subprocess.PIPE, check=True, text=True, env=self._environment(), cwd=self.cwd
        )
        measured: dict[str, float] = json.loads(done.stdout)
        return measured

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, **(self.env or {})}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment


def ratios(base: Command, cases: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """Measure the CPU time of cases against a base, in turn, so that a busy moment of the machine hits all of them.

    Args:
        base: What the cases are divided by.
        cases: The commands to compare, by name.
        rounds: How often each is run, after one run that fills caches and is not counted.

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


def compared(case: Command, base: Command, rounds: int) -> dict[str, float]:
    """Divide what a case measures by what a base measures, in turn.

    Args:
        case: A command that prints figures.
        base: A command that prints the same figures.
        rounds: How often each is run, after one run that fills caches and is not counted.

    Returns:
        For each figure the ratio of the least values: what else the machine does only ever adds, for seconds at a time.
    """
    found = [(case.figures(), base.figures()) for _ in range(rounds + 1)][1:]
    names = found[0][0]
    return {name: min(mine[name] for mine, _ in found) / min(theirs[name] for _, theirs in found) for name in names}
