"""Stands in for ``agent.secret_sources._cache``: the cache of fetched secrets."""

from functools import partial

from hermes_sdk.hosts.embedded.helpers import secret_cache
from hermes_sdk.hosts.embedded.helpers.secret_cache import CachedFetch, DiskCache
from hermes_sdk.hosts.embedded.host_classes import derive_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["CachedFetch", "DiskCache", "resolve_cache_home"]

_state = find_plugin_manager(__spec__).state
globals()["DiskCache"] = derive_class(DiskCache, _embedded=_state)
resolve_cache_home = partial(secret_cache.resolve_cache_home, _state)
