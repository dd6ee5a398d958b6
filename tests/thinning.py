"""Parameters of tests with more values than `make test` runs; the nightly workflow runs all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest


def every_third(values: Sequence[object]) -> list[object]:
    """Return the values, or tuples of values, as parameters; `make test` runs the first and every third after it."""
    return [
        pytest.param(*(one if type(one) is tuple else (one,)), marks=() if number % 3 == 0 else pytest.mark.slow)
        for number, one in enumerate(values)
    ]


def thin_out(rows: Sequence[object], columns: Sequence[object]) -> list[object]:
    """Return all pairs as parameters, marked slow except for enough to cover each row and each column."""
    return [
        pytest.param(row, column, marks=() if _is_quick(y, x, len(rows), len(columns)) else pytest.mark.slow)
        for (y, row), (x, column) in product(enumerate(rows), enumerate(columns))
    ]


def _is_quick(y: int, x: int, height: int, width: int) -> bool:
    return y % width == x if height >= width else x % height == y
