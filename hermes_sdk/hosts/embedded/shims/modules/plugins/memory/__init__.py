"""Stands in for the package ``plugins.memory``: the memory providers of the home; the host's own are left out."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.hosts.embedded.shims.lent import lent
from hermes_sdk.manifest import guessed_kind

__all__ = ["find_provider_dir", "list_memory_provider_names"]

_hermes_home = lent(__spec__).home_path


def find_provider_dir(name: str) -> Path | None:
    """Return the directory of a memory provider, or None."""
    place = _hermes_home() / "plugins" / name
    return place if _is_provider(place) else None


def list_memory_provider_names() -> list[str]:
    """Return the names of the memory providers, sorted."""
    folder = _hermes_home() / "plugins"
    places = folder.iterdir() if folder.is_dir() else ()
    return sorted(place.name for place in places if place.name[:1] not in ("_", ".") and _is_provider(place))


def _is_provider(place: Path) -> bool:
    return (place / "__init__.py").is_file() and guessed_kind(place) == "exclusive"
