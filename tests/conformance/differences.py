"""Places in which two JSON values differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def list_differences(path: str, left: Any, right: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield each place below a path in which two values differ, with what is there."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in dict.fromkeys([*left, *right]):
            yield from list_differences(f"{path}.{key}".lstrip("."), left.get(key), right.get(key))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from list_differences(f"{path}[{number}]", one, other)
    elif repr(left) != repr(right):  # Unlike `!=`, this tells 1 and 1.0 apart, and a `nan` equals another.
        yield path, left, right
