"""CPU time of `hermes-sdk verify` on a project of a template, compared with the commands that it replaces."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Command, Figure, ratios
from hermes_sdk.scaffold.new import new

ROUNDS = 3
BIN = Path(sys.executable).parent
# The oldest release comes second, as in `verify`.
REPLACED = ("hermes-sdk check", "mypy", "pytest -q", "pytest -q --hermes-release 0.19.0")


def figures() -> Iterator[Figure]:
    """Measure the CPU time of all processes; in wall-clock time, `verify` also gains from a second processor."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as folder:
        project = new("plugin", Path(folder))
        one = Command([str(BIN / "hermes-sdk"), "verify"], cwd=project)
        several = Command(["sh", "-ec", "\n".join(f"{BIN}/{line}" for line in REPLACED)], cwd=project)
        yield Figure("verify / check, mypy and both test runs", ratios(several, {"verify": one}, ROUNDS)["verify"], 0.9)
