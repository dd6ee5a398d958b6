"""The jobs of a CI that run a matrix cell by cell."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hermes_sdk.compat.cells import Cell


def github(cells: Sequence[Cell]) -> str:
    """The value of ``strategy.matrix`` of a GitHub workflow, on one line: a job for each cell, which `--only` runs."""
    return json.dumps({"include": [{"cell": one.name, **one._asdict(), "grade": one.grade} for one in cells]})
