"""HS820 to HS868, and later codes: requirements on memory providers."""

from __future__ import annotations

from . import memory_ending, memory_keeping, memory_starting
from .memory_lab import Lab

__all__ = ["RULES", "Lab"]

RULES = [*memory_starting.RULES, *memory_keeping.RULES, *memory_ending.RULES]
