"""Requests whose credentials must not reach another server."""

from __future__ import annotations

import urllib.request
from typing import Any
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_KEPT = frozenset({"accept", "user-agent"})


def url_origin(url: str) -> tuple[str, str, int | None]:
    """Return the scheme, the host and the port of an address."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(scheme)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Takes all but harmless headers out of a request that another server is to get."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        made = super().redirect_request(req, fp, code, msg, headers, newurl)
        if made is not None and url_origin(newurl) != url_origin(req.full_url):
            for kept in (made.headers, made.unredirected_hdrs):
                for name in [name for name in kept if name.lower() not in _KEPT]:
                    del kept[name]
        return made


def open_credentialed_url(request: urllib.request.Request, *, timeout: float, opener_factory: Any = None) -> Any:
    """Open an address; other servers that it redirects to get no credentials."""
    build = opener_factory or urllib.request.build_opener
    return build(_Redirects()).open(request, timeout=timeout)
