"""Who may use the inspector: the browser that was given the token of this run, on this machine, from our own pages."""

from __future__ import annotations

import hmac
import secrets
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

# A redirect would count as one from the page with the link, and the browser would keep the cookie back.
_ENTRANCE = (
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="/static/icon.svg">'
    '<meta http-equiv="refresh" content="0;url=/"><a href="/">Inspector</a>'
)


class Gate:
    """Refuses every request but those of the page of this run; the rest of the application trusts it.

    Attributes:
        token: What the address of the page contains.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self._cookie = f"hermes_sdk_inspector_{port}"
        # A site of a stranger whose name leads to this machine sends its own name (DNS rebinding).
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
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
        """Return the answer to a request that may not pass, or that brings the token."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("Not this host.", 421)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST.", 405)
        if scope["method"] == "POST" and headers.get("origin") != f"http://{host}":
            return PlainTextResponse("Only from the page itself.", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and scope["path"] != "/":
            return PlainTextResponse("Only from the page itself.", 403)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and scope["method"] == "GET" and given and _is_equal(given, self.token):
            entrance = HTMLResponse(_ENTRANCE)
            entrance.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
            return entrance
        if not _is_equal(self._given_cookie(headers), self._session):
            return PlainTextResponse("Open the address that `hermes-sdk dev` printed.", 403)
        return None

    def _given_cookie(self, headers: Headers) -> str:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return ""
        return cookies[self._cookie].value if self._cookie in cookies else ""


def _is_equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
