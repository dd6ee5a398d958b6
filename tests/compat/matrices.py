"""Helpers that run or construct matrices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.compat.cells import Cell, parse
from hermes_sdk.compat.matrix import matrices
from hermes_sdk.compat.outcomes import Matrix, Outcome, Tests
from hermes_sdk.manifest import locate


def matrix_of(root: Path, *cells: str, time_limit: float = 60, is_auto: bool = False) -> Matrix:
    """Run a plugin in some cells."""
    wanted = [parse(name) for name in cells]
    (make_matrix,) = matrices([locate(root)], wanted, base=root, time_limit=time_limit, is_auto=is_auto)
    return make_matrix


def outcome_of(root: Path, cell: str = "embedded:0.19.0", *, time_limit: float = 60) -> Outcome:
    """Run a plugin in one cell."""
    return matrix_of(root, cell, time_limit=time_limit).outcomes[0]


def make_matrix(
    verdicts: Mapping[str, str],
    requires: str | None = None,
    *,
    plugin: str = "mine",
    not_run: Mapping[str, tuple[str, ...]] = {},
) -> Matrix:
    """Construct a matrix from verdicts by cell name, without running anything."""
    facts: Mapping[str, Mapping[str, Any]] = {
        "passes": {"loads": True, "tests": Tests(2)},
        "fails": {"loads": True, "tests": Tests(1, 1, 0, ("tests/test_it.py::test_it",))},
        "broken": {"loads": False, "error": "no <register>", "tests": Tests()},
        "lacks": {"loads": True, "tests": Tests(2), "missing_apis": ("hook pre_verify",)},
        "unknown": {"loads": None, "error": "no network"},
    }
    outcomes = tuple(Outcome(_cell(name), **facts[how]) for name, how in verdicts.items())
    return Matrix(plugin, ".", requires, outcomes, not_run)


def _cell(name: str) -> Cell:
    return Cell("real" if name.startswith("real:") else "embedded", name.removeprefix("real:"), "3.11")
