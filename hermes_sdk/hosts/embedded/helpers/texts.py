"""Texts: names, codes of terminals, contents of messages and addresses."""

from __future__ import annotations

import re


def is_valid_env_name(name: str) -> bool:
    """Tell whether a variable can have that name."""
    return bool(name) and re.match(r"^[A-Za-z_][A-Za-z0-9_]*$", name) is not None


def scrub_ansi(text: str) -> str:
    """Return a text without the codes that colour a terminal."""
    return re.sub(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)", "", text or "")
