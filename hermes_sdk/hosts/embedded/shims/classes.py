"""Classes of ours that plugins know as classes of the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Class = TypeVar("_Class")


def of_module(name: str) -> Callable[[type[_Class]], type[_Class]]:
    """Let a class say that it comes from a module of the host; above ``@dataclass``, which looks for that module."""

    def mark(cls: type[_Class]) -> type[_Class]:
        cls.__module__ = name
        return cls

    return mark
