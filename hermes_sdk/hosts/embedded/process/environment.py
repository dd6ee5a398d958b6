"""Environment variables as switches."""

from __future__ import annotations

import os


def truthy(name: str) -> bool:
    """Return whether an environment variable is switched on."""
    return means_on(os.environ.get(name, ""))


def means_on(word: str) -> bool:
    """Return whether a word switches something on, by the host's rule."""
    return word.strip().lower() in {"1", "true", "yes", "on"}
