"""Requests whose credentials must not reach another server."""

from __future__ import annotations

import urllib.request
from typing import Any
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_HARMLESS = frozenset({"accept", "user-agent"})


def url_origin(url: str) -> tuple[str, str, int | None]:
    """Return the scheme, the host and the port of a URL."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(scheme)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Removes all but harmless headers from a request that is redirected to another server."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        redirected = super().redirect_request(req, fp, code, msg, headers, newurl)
        if redirected is not None and url_origin(newurl) != url_origin(req.full_url):
            for headers in (redirected.headers, redirected.unredirected_hdrs):
                for name in [name for name in headers if name.lower() not in _HARMLESS]:
                    del headers[name]
        return redirected


def open_credentialed_url(request: urllib.request.Request, *, timeout: float, opener_factory: Any = None) -> Any:
    """Open a URL; do not send credentials to other servers after a redirect."""
    build = opener_factory or urllib.request.build_opener
    return build(_Redirects()).open(request, timeout=timeout)
