"""Whose code a file is: the host's, a plugin's, or neither."""

from __future__ import annotations

import functools
import importlib.metadata
import sysconfig
from pathlib import Path

SITE_PACKAGES = sysconfig.get_path("purelib")
"""Where the host is installed."""

_HOSTS = Path(__file__).parents[2]

_NOT_PLUGINS = (SITE_PACKAGES, sysconfig.get_path("stdlib"), str(_HOSTS), "<")


@functools.cache
def host_names() -> frozenset[str]:
    """Return the top-level names of the host's own modules, such as ``hermes_cli`` and ``tools``."""
    listed = importlib.metadata.distribution("hermes-agent").read_text("top_level.txt")
    return frozenset((listed or "").split())


@functools.cache
def is_host(filename: str) -> bool:
    """Tell whether a file belongs to hermes-agent."""
    try:
        first = Path(filename).relative_to(SITE_PACKAGES).parts[0]
    except (ValueError, IndexError):
        return False
    return first.removesuffix(".py") in host_names()


@functools.cache
def is_plugin(filename: str) -> bool:
    """Tell whether a file is neither the host's, nor Python's, nor ours: that leaves plugins and their libraries."""
    return not filename.startswith(_NOT_PLUGINS)
