"""Kinds of plugins, as a host determines them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.contract.behaviour import Behaviour

# Length of the part of `__init__.py` that the host searches to guess a kind (statement A28).
_SNIFFED_CHARACTERS = 8192

MEMORY = ("register_memory_provider", "MemoryProvider")
SCHEDULERS = ("register_cron_scheduler", "CronScheduler")
COMPUTER_USE = ("register_computer_use_provider", "ComputerUseProvider")
"""Names for which the host searches the source: the function that registers a provider, and its base class."""


def list_markers(behaviour: Behaviour) -> tuple[str, ...]:
    """Return the names in the source that make a plugin exclusive on a release (statement A28)."""
    schedulers = SCHEDULERS if behaviour.schedulers_exclusive else ()
    return (*MEMORY, *schedulers, *(COMPUTER_USE if behaviour.computer_use_exclusive else ()))


def guessed_kind(directory: os.PathLike[str], markers: Sequence[str] = MEMORY) -> str:
    """Return the kind that the host assumes for a plugin without a `kind` (statement A28).

    The host searches the beginning of `__init__.py` as text, so it also finds the names in comments.

    Args:
        directory: The plugin's directory.
        markers: The result of `list_markers`.
    """
    file = f"{os.fspath(directory)}/__init__.py"
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # noqa: PTH116
            return "standalone"
        # Decoding takes most of the time, and hardly any plugin contains one of the names.
        with open(file, "rb", buffering=0) as raw:  # noqa: PTH123
            content = raw.read()
        suspicious = b"rovider" in content or b"cheduler" in content
        text = Path(file).read_text(errors="replace") if suspicious else ""
    except OSError:
        return "standalone"
    return kind_of_source(text, markers)


def kind_of_source(source: str, markers: Sequence[str]) -> str:
    """Return the kind that the host guesses from a source; see `guessed_kind`."""
    text = source[:_SNIFFED_CHARACTERS]
    if any(marker in text for marker in markers):
        return "exclusive"
    if "register_provider" in text and "ProviderProfile" in text:
        return "model-provider"
    return "standalone"
