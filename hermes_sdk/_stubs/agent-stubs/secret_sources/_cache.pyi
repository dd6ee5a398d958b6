"""Types of ``agent.secret_sources._cache``."""

from pathlib import Path

from hermes_sdk.hosts.embedded.standins.modules.agent.secret_sources._cache import (
    CachedFetch as CachedFetch,
    DiskCache as DiskCache,
)

def resolve_cache_home(home_path: Path | None = None) -> Path: ...
