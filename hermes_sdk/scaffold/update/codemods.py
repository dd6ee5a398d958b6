"""Codemods: changes of a project that no merge can make, one commit each, in the order of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version


@dataclass(frozen=True)
class Codemod:
    """One change.

    Attributes:
        number: Its place; a number is never used again.
        since: The version of hermes-sdk whose templates have it already.
        title: What it does, for the commit: ``Rename the setting x to y``.
        apply: Makes the change in the directory of a project; in one that has it, nothing. It runs on the project as it
            was made, too, so that the merge does not meet the change a second time.
    """

    number: int
    since: str
    title: str
    apply: Callable[[Path], None]


CODEMODS: tuple[Codemod, ...] = ()
"""All of them, by number. None is needed yet: every version of the templates merges."""


def pending(codemods: tuple[Codemod, ...], version: str) -> list[Codemod]:
    """The codemods that a project made by a version of hermes-sdk lacks, in order."""
    lacking = (one for one in codemods if Version(one.since) > Version(version))
    return sorted(lacking, key=lambda one: one.number)
