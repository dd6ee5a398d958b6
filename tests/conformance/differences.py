"""Differences between two JSON values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def list_differences(path: str, left: Any, right: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path and both values of each difference."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in dict.fromkeys([*left, *right]):
            yield from list_differences(f"{path}.{key}".lstrip("."), left.get(key), right.get(key))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from list_differences(f"{path}[{number}]", one, other)
    elif repr(left) != repr(right):  # Unlike `!=`, this distinguishes 1 from 1.0 and treats `nan` as equal.
        yield path, left, right
