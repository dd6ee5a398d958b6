"""Stands in for ``agent.secret_sources._cache``, where sources keep what they found."""

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["CachedFetch", "DiskCache", "resolve_cache_home"]

CachedFetch = refused(__spec__, "CachedFetch")
DiskCache = refused(__spec__, "DiskCache")
resolve_cache_home = refused(__spec__, "resolve_cache_home")
