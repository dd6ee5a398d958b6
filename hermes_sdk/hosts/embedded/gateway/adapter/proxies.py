"""The proxy that an adapter connects through."""

from __future__ import annotations

import os
import sys
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState

_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy")


def normalise(proxy_url: str | None) -> str | None:
    """Return the URL of a proxy with a scheme that clients support, or None if it is empty."""
    address = (proxy_url or "").strip()
    return address.replace("socks://", "socks5://", 1) if address.startswith("socks://") else address or None


class Proxies:
    """Proxy settings of the environment; those of macOS are not modelled."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def resolve(
        self, platform_env_var: str | None = None, *, target_hosts: Any = None, configured: str | None = None
    ) -> str | None:
        """Return the proxy for a platform, or None; the platform's own variable takes precedence.

        Raises:
            NotSupported: ``NO_PROXY`` or settings of Hermes or macOS apply.
        """
        gateway = self._state.config.read().get("gateway")
        if configured or (isinstance(gateway, dict) and "trust_env" in gateway):
            raise self._state.unsupported("follow a configured proxy or `gateway.trust_env`")
        own = [platform_env_var] if platform_env_var else []
        found = next((found for name in (*own, *_VARIABLES) if (found := normalise(os.environ.get(name)))), None)
        if target_hosts and found and (os.environ.get("NO_PROXY") or os.environ.get("no_proxy")):
            raise self._state.unsupported("follow NO_PROXY")
        if found is None and sys.platform == "darwin":
            raise self._state.unsupported("read the proxy of macOS")
        return found
