"""Stands in for the package ``plugins.memory``: the memory providers of the home; the host's own are left out."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.providers import memory
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.interface.memory import is_provider, provider_names

__all__ = [
    "discover_memory_providers",
    "find_provider_dir",
    "list_memory_provider_names",
    "load_memory_provider",
]

_host = find_plugin_manager(__spec__)
_logger = logging.getLogger(__name__)


def find_provider_dir(name: str) -> Path | None:
    """Return the directory of a memory provider, or None."""
    place = _place(name)
    return place if is_provider(place) else None


def list_memory_provider_names() -> list[str]:
    """Return the names of the memory providers, sorted."""
    return provider_names(_host.state.home_path())


def discover_memory_providers() -> list[tuple[str, str, bool]]:
    """Load each memory provider and return its name, what its manifest says of it, and whether it is available."""
    found = []
    for name in provider_names(_host.state.home_path()):
        provider, available = _load(name), False
        with contextlib.suppress(Exception):
            available = provider.is_available() if provider else False
        found.append((name, _description(name), available))
    return found


def load_memory_provider(name: str) -> Any:
    """Return a new object of a memory provider, or None."""
    if find_provider_dir(name) is None:
        return None
    provider = _load(name)
    if not provider:
        _logger.warning("Memory provider '%s' loaded but no provider instance found", name)
        return None
    return provider


def _load(name: str) -> Any:
    return memory.provider(_place(name), _host.state, _host.make_provider_context)


def _place(name: str) -> Path:
    return memory.provider_directory(_host.state.home_path(), name, _host.state.behaviour)


def _description(name: str) -> Any:
    return memory.manifest_of(_place(name)).get("description", "")
