"""How the benches measure: CPU time of child processes, side by side in one run, as ratios."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One measured ratio and the limit that it must not pass."""

    name: str
    ratio: float
    limit: float

    @property
    def holds(self) -> bool:
        return self.ratio <= self.limit


@dataclass(frozen=True)
class Command:
    """A command to measure; `env` is added to this process's environment."""

    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    cwd: Path | None = None

    def cpu(self) -> float:
        """Run the command once.

        Returns:
            The user and system time of the child and its descendants, in seconds.

        Raises:
            RuntimeError: The command failed, so that its time means nothing.
        """
        environment = {**os.environ, **(self.env or {})}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        process = subprocess.Popen(self.argv, stdout=subprocess.DEVNULL, env=environment, cwd=self.cwd)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"exit code {process.returncode} from {' '.join(self.argv)}")
        return usage.ru_utime + usage.ru_stime


def ratios(base: Command, cases: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """Measure cases against a base, in turn, so that a busy moment of the machine hits all of them.

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
