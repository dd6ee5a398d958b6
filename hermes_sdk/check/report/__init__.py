"""Report formats; the module of each has ``write(result, stream)``. Must not run rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from hermes_sdk.check.model import Result
from hermes_sdk.terminal import clean, strip_guard


def emit(text: str, stream: TextIO, *, commands: bool = False) -> None:
    """Write text to a stream, escaping characters that it cannot encode or that are unsafe in a terminal.

    Args:
        commands: Whether the lines are workflow commands of GitHub Actions.
    """
    strip_guard(stream).write(clean(text, stream.encoding, commands=commands))


def get_repository_path(result: Result, path: str) -> str:
    """Return the path of a finding relative to its Git repository, or to the checked directory without one."""
    base = result.base.resolve()
    root = next((folder for folder in (base, *base.parents) if (folder / ".git").exists()), base)
    return Path(os.path.relpath(base / path, root)).as_posix()
