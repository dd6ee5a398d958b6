"""HS901 to HS942: requirements on platforms and their adapters."""

from __future__ import annotations

from . import platform_connecting, platform_hearing, platform_sending, platform_starting
from .platform_lab import Lab

__all__ = ["RULES", "Lab"]

RULES = [
    *platform_starting.RULES,
    *platform_connecting.RULES,
    *platform_sending.RULES,
    *platform_hearing.RULES,
]
