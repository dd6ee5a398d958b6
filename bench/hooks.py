"""Costs of calling the callbacks of a hook, compared with the real host and with pluggy."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.host import SUBJECTS, both, embedded
from bench.measure import Command, Figure, divide_costs
from bench.plugins import make_home

ROUNDS = 6


def figures() -> Iterator[Figure]:
    """Measure calls; the callbacks do nothing, and receive all eight arguments.

    The comparison with pluggy uses a release that calls callbacks as pluggy does: later releases read signatures,
    await results, and give each callback a thread and a time limit.
    """
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        home = make_home(Path(name) / "home", 1)
        pluggy = Command([sys.executable, str(SUBJECTS / "hooks_of_pluggy.py")])
        for base, limit, (ours, theirs) in (
            ("real", 0.9, both("hooks", home)),
            ("pluggy", 1.0, (embedded("seven_arguments", home, "0.19.0"), pluggy)),
        ):
            for count, ratio in divide_costs(ours, theirs, ROUNDS).items():
                yield Figure(f"hook with {count} callbacks / {base}", ratio, limit)
