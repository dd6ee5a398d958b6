"""Stands in for ``hermes_cli.colors``: colours on a terminal."""

from __future__ import annotations

import os
import sys

__all__ = ["Colors", "color", "should_use_color"]


class Colors:
    """The codes of colours and styles."""

    RESET = "\033[0m"
    BOLD = "\033[1m"
    DIM = "\033[2m"
    RED = "\033[31m"
    GREEN = "\033[32m"
    YELLOW = "\033[33m"
    BLUE = "\033[34m"
    MAGENTA = "\033[35m"
    CYAN = "\033[36m"


def should_use_color() -> bool:
    """Tell whether standard output is a terminal that shows colours."""
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def color(text: str, *codes: str) -> str:
    """Put codes before a text, and the end of them after it, where colours are shown."""
    return f"{''.join(codes)}{text}{Colors.RESET}" if should_use_color() else text
