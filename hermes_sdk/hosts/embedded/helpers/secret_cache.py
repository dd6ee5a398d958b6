"""Cache of fetched secrets for secret sources."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from hermes_sdk.hosts.embedded.helpers.files import replace_text
from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.state import HostState

_MODULE = "agent.secret_sources._cache"
_Key = TypeVar("_Key")


@of_module(_MODULE)
@dataclass
class CachedFetch:
    """Fetched secrets with their time."""

    secrets: dict[str, str]
    fetched_at: float

    def is_fresh(self, ttl_seconds: float) -> bool:
        """Return whether the secrets are younger than `ttl_seconds`."""
        return ttl_seconds > 0 and time.time() - self.fetched_at < ttl_seconds


@of_module(_MODULE)
class DiskCache(Generic[_Key]):
    """Cache file of one source; a file that cannot be read or written is treated as missing."""

    _embedded: HostState

    def __init__(self, basename: str, *, key_serializer: Callable[[_Key], str]) -> None:
        self._basename = basename
        self._key_serializer = key_serializer

    def path(self, home_path: Path | None = None) -> Path:
        """Return the path of the file."""
        return resolve_cache_home(self._embedded, home_path) / "cache" / self._basename

    def read(self, key: _Key, ttl_seconds: float, home_path: Path | None = None) -> CachedFetch | None:
        """Return the cached secrets for a key, or None if they are missing or too old."""
        if ttl_seconds <= 0:
            return None
        try:
            kept = self._parse(self.path(home_path).read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            return None
        if not isinstance(kept, dict) or kept.get("key") != self._key_serializer(key):
            return None
        secrets, fetched_at = kept.get("secrets"), kept.get("fetched_at")
        if not isinstance(secrets, dict) or not isinstance(fetched_at, (int, float)):
            return None
        texts = {name: value for name, value in secrets.items() if isinstance(value, str)}
        entry = CachedFetch(texts, float(fetched_at))
        return entry if entry.is_fresh(ttl_seconds) else None

    def _parse(self, text: str) -> Any:
        if text.startswith("\ufeff"):
            raise self._embedded.unsupported("read a cache of secrets that begins with a byte order mark")
        return json.loads(text)

    def write(self, key: _Key, entry: CachedFetch, ttl_seconds: float, home_path: Path | None = None) -> None:
        """Store secrets for a key, readable only by the user."""
        if ttl_seconds <= 0:
            return
        path = self.path(home_path)
        kept = {"key": self._key_serializer(key), "secrets": entry.secrets, "fetched_at": entry.fetched_at}
        text = json.dumps(kept, ensure_ascii=False)
        if not text.isascii() or path.is_symlink():
            raise self._embedded.unsupported("write a cache of secrets that are not ASCII, or through a link")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o700)
            replace_text(path, text, 0o600)

    def clear(self, home_path: Path | None = None) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):
            self.path(home_path).unlink()


def resolve_cache_home(state: HostState, home_path: Path | None = None) -> Path:
    """Return the home with the caches: `home_path`, otherwise the host's home.

    Raises:
        NotSupported: A plugin has set another home for this context, which only later releases use.
    """
    if home_path is not None:
        return home_path
    home = state.home_path()
    if str(home) != os.environ.get("HERMES_HOME"):
        raise state.unsupported("find the cache of secrets in another home")
    return home
