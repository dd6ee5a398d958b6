"""Access control of the inspector: only the browser with the one-time token, on this machine, from its own pages.

The token is exchanged for a cookie and the page's secret. Browsers send cookies to every port of a host, so the cookie
alone returns only an empty page. They store the secret for the page's origin, which includes the port, and the page's
script sends it as a header.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

HEADER = "hermes-sdk-page"
"""Header with the page's secret."""

# No redirect: SameSite=Strict would withhold the cookie after a cross-site link.
_ENTRANCE = (
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="/static/icon.svg"><title>Inspector</title>'
    '<script src="/static/enter.js" data-secret="{}"></script>'
)


class Gate:
    """Rejects every request that does not come from the page of this run; the application trusts all others.

    Args:
        shell: The page without its content, which its script requests.
        panes: The paths that return the shell when opened in a browser.
        on_enter: Called after a browser has used the token and a new one was created.

    Attributes:
        token: The one-time token in the page's address.
    """

    def __init__(
        self, app: ASGIApp, port: int, shell: str, panes: Collection[str], on_enter: Callable[[], None] = lambda: None
    ) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = f"hermes_sdk_inspector_{port}"
        self._session = secrets.token_urlsafe(32)
        self._secret = secrets.token_urlsafe(32)
        # DNS rebinding: a foreign site whose name resolves to this machine sends its own name.
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._app = app
        self._shell = shell
        self._panes = frozenset(panes)
        self._on_enter = on_enter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or pass it to the application."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        answer = self._refuse(scope) or self._app
        await answer(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the response to a request that is rejected or contains the token; None for all others."""
        headers = Headers(scope=scope)
        host, path, method = headers.get("host", ""), scope["path"], scope["method"]
        if host not in self._hosts:
            return PlainTextResponse("The inspector is not served under this host name.", 421)
        if method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are allowed.", 405)
        if method == "POST" and headers.get("origin") != f"http://{host}":
            return PlainTextResponse("Only from the page itself.", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and path != "/":
            return PlainTextResponse("Only from the page itself.", 403)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if path == "/" and method == "GET" and given:
            return self._enter(given)
        if not _is_equal(self._read_cookie(headers), self._session):
            return PlainTextResponse("Open the address that `hermes-sdk dev` printed.", 403)
        if path.startswith("/static/") or _is_equal(headers.get(HEADER, ""), self._secret):
            return None
        if path in self._panes and method == "GET" and HEADER not in headers:
            return HTMLResponse(self._shell)
        return PlainTextResponse("Only from the page itself. Open the last address that `hermes-sdk dev` printed.", 403)

    def _enter(self, token: str) -> Response:
        """Exchange the token for a cookie and the page's secret."""
        if not _is_equal(token, self.token):
            return PlainTextResponse(
                "This address works only once, and was already used. In the browser that used it, open the address "
                "without its token; in another browser, open the last address that `hermes-sdk dev` printed.",
                403,
            )
        self.token = secrets.token_urlsafe(32)
        entrance = HTMLResponse(_ENTRANCE.format(self._secret))
        entrance.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
        self._on_enter()
        return entrance

    def _read_cookie(self, headers: Headers) -> str:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return ""
        return cookies[self._cookie].value if self._cookie in cookies else ""


def _is_equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
