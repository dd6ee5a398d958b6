"""Types of ``agent.secret_sources._cache``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.agent.secret_sources._cache import (
    resolve_cache_home as resolve_cache_home,
)

class CachedFetch(Any):  # type: ignore[misc]
    """What a source found before; known by name only."""

class DiskCache(Any):  # type: ignore[misc]
    """Where a source keeps that; known by name only."""
