"""What the operating system offers. Linux and macOS run everything; other systems run what needs no host."""

from __future__ import annotations

import os
from importlib.util import find_spec

from hermes_sdk.errors import UnavailableError


def _has_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


IS_POSIX = _has_module("fcntl")
"""Whether files can be locked and reached through descriptors of directories."""


def is_root() -> bool:
    """Return whether this process may change the files of every user."""
    return IS_POSIX and os.geteuid() == 0


def require_posix(what: str) -> None:
    """Raise `UnavailableError` on Windows, where `what` does not work."""
    if not IS_POSIX:
        raise UnavailableError(
            f"{what} needs Linux or macOS",
            fix="On Windows, run it in WSL; `new`, `check --static`, `explain`, `schema` and `contract` work without.",
        )
