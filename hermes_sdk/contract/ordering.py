"""The order of releases, without `packaging`: its import takes as long as loading a contract."""

from __future__ import annotations

from functools import cache


@cache
def parse_release(release: str) -> tuple[int, ...]:
    """Return the three numbers of a release, which order it among the others.

    Args:
        release: Numbers joined by dots: ``"0.19"`` is ``"0.19.0"``, and a fourth number does not count.

    Raises:
        ValueError: The release has no number, such as a Git revision.
    """
    numbers = [int(part) for part in release.split(".")[:3]]
    return tuple(numbers + [0] * (3 - len(numbers)))
