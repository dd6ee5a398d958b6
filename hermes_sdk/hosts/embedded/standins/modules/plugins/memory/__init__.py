"""Stands in for the package ``plugins.memory``: the memory providers of the home, without bundled providers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.providers import memory
from hermes_sdk.hosts.embedded.providers.memory_sources import find_provider, list_providers
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "discover_memory_providers",
    "find_provider_dir",
    "list_memory_provider_names",
    "load_memory_provider",
]

_host = find_plugin_manager(__spec__)


def find_provider_dir(name: str) -> Path | None:
    """Return the directory of a memory provider, or None."""
    place = find_provider(name, _host.state)
    return place if isinstance(place, Path) else None


def list_memory_provider_names() -> list[str]:
    """Return the names of the memory providers, sorted."""
    return sorted(list_providers(_host.state))


def discover_memory_providers() -> list[tuple[str, str, bool]]:
    """Load each memory provider; return its name, its description, and whether it is available."""
    return memory.discover(_host.state, _host.make_provider_context)


def load_memory_provider(name: str) -> Any:
    """Return a new instance of a memory provider, or None."""
    return memory.load(name, _host.state, _host.make_provider_context)
