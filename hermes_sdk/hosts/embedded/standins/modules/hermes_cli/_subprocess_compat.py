"""Stands in for ``hermes_cli._subprocess_compat``: options for child processes, on systems other than Windows."""

from __future__ import annotations

from typing import Any

__all__ = ["IS_WINDOWS", "windows_detach_flags", "windows_detach_popen_kwargs", "windows_hide_flags"]

IS_WINDOWS = False


def windows_detach_flags() -> int:
    """Return the flags of a process that outlives its parent."""
    return 0


def windows_hide_flags() -> int:
    """Return the flags of a process without a window."""
    return 0


def windows_detach_popen_kwargs() -> dict[str, Any]:
    """Return the arguments of ``Popen`` for a process that outlives its parent."""
    return {"start_new_session": True}
