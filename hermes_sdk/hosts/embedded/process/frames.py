"""Which code of plugins runs in a thread."""

from __future__ import annotations

from collections.abc import Container
from types import FrameType


def find_plugin_frame(
    frame: FrameType | None, plugin_files: Container[str], until: tuple[str, ...] = ()
) -> FrameType | None:
    """Find the innermost plugin code in a frame or its callers; None when a file below one of `until` comes first."""
    while frame is not None and not frame.f_code.co_filename.startswith(until):
        if frame.f_code.co_filename in plugin_files:
            return frame
        frame = frame.f_back
    return None
