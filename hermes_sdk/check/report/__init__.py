"""Formats of a result, one file each with ``write(result, stream)``. Must not run rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from hermes_sdk.check.model import Result
from hermes_sdk.terminal import clean, strip_guard


def emit(text: str, stream: TextIO, *, commands: bool = False) -> None:
    """Write a text to a stream of any encoding; what the encoding lacks, and what is not safe, are escaped.

    Args:
        commands: Whether its lines are commands to a workflow.
    """
    strip_guard(stream).write(clean(text, stream.encoding, commands=commands))


def in_repository(result: Result, path: str) -> str:
    """A path of a finding, relative to the repository that it lies in; unchanged when it lies in none."""
    base = result.base.resolve()
    root = next((folder for folder in (base, *base.parents) if (folder / ".git").exists()), base)
    return Path(os.path.relpath(base / path, root)).as_posix()
