"""The wheel of a plugin's project, as rules about packages see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Wheel:
    """What the project's build backend makes of it.

    Attributes:
        files: The content of each file by its name in the wheel, in which ``.dist-info`` files are included.
        metadata: The text of ``METADATA``: an e-mail header with ``Requires-Dist`` and others.
        entry_points: Values by name, by group.
        sources: The names of the files in the source distribution, without its top directory.
    """

    files: Mapping[str, bytes]
    metadata: str
    entry_points: Mapping[str, Mapping[str, str]]
    sources: frozenset[str]
