"""Values that hypothesis draws, where it is installed: further arguments that a model could send."""

from __future__ import annotations

import functools
from importlib.util import find_spec
from typing import Any

_COUNT = 10


@functools.cache
def drawn(seed: int) -> list[Any]:
    """Values of every type of JSON, the same for the same seed; none without hypothesis."""
    if find_spec("hypothesis") is None:
        return []
    from hypothesis import Phase, given, settings, strategies
    from hypothesis import seed as seeded

    plain = strategies.none() | strategies.booleans() | strategies.integers() | strategies.text()
    numbers = strategies.floats(allow_nan=False, allow_infinity=False)
    values = strategies.recursive(
        plain | numbers,
        lambda inner: strategies.lists(inner) | strategies.dictionaries(strategies.text(), inner),
        max_leaves=5,
    )
    found: list[Any] = []

    @seeded(seed)
    @settings(max_examples=_COUNT, phases=[Phase.generate], database=None, deadline=None)
    @given(values)
    def draw(value: Any) -> None:
        found.append(value)

    draw()
    return found
