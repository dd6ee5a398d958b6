"""Features of the operating system. Everything works on Linux and macOS; features without a host work elsewhere too."""

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
"""Whether the system supports file locks and access relative to directory descriptors."""


def is_root() -> bool:
    """Return whether this process can change the files of all users."""
    return IS_POSIX and os.geteuid() == 0


def require_posix(what: str) -> None:
    """Raise `UnavailableError` on Windows, where `what` is not supported."""
    if not IS_POSIX:
        raise UnavailableError(
            f"{what} needs Linux or macOS",
            fix="On Windows, use WSL; `new`, `check --static`, `explain`, `schema` and `contract` work without it.",
        )
