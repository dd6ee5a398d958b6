"""Classification of files: code of the host, of a plugin, or neither."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import sysconfig
from pathlib import Path

_HOSTS = Path(__file__).parents[2]


@functools.cache
def host_root() -> str:
    """Return the directory with the host's modules: ``site-packages``, or the checkout of an editable install."""
    found = importlib.util.find_spec("hermes_cli")
    return str(Path(str(found and found.origin)).parents[1])


@functools.cache
def host_names() -> frozenset[str]:
    """Return the top-level names of the host's own modules, such as ``hermes_cli`` and ``tools``."""
    # A redistribution has a different distribution name, and may lack the program `hermes`.
    programs = importlib.metadata.entry_points(group="console_scripts", name="hermes")
    names = [one.dist.name for one in programs if one.dist]
    found = importlib.metadata.distribution((names or importlib.metadata.packages_distributions()["hermes_cli"])[0])
    return frozenset((found.read_text("top_level.txt") or "").split())


@functools.cache
def is_host(filename: str) -> bool:
    """Return whether a file belongs to hermes-agent."""
    try:
        first = Path(filename).relative_to(host_root()).parts[0]
    except (ValueError, IndexError):
        return False
    return first.removesuffix(".py") in host_names()


@functools.cache
def is_plugin(filename: str) -> bool:
    """Return whether a file belongs to a plugin or its libraries: it is not the host's, Python's or ours."""
    return not filename.startswith(
        (host_root(), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"), str(_HOSTS), "<")
    )
