"""Who may use the inspector, request by request."""

from __future__ import annotations

import pytest
from inspector.browsing import ADDRESS, Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from hermes_sdk.inspector.access import Gate


async def answer(_: Request) -> Response:
    return PlainTextResponse("inside")


@pytest.fixture
def gate() -> Gate:
    return Gate(Starlette(routes=[Route("/", answer), Route("/act", answer, methods=["POST"])]), 8765)


@pytest.fixture
def stranger(gate: Gate) -> Browser:
    return Browser(gate)


@pytest.fixture
def client(gate: Gate, stranger: Browser) -> Browser:
    """A browser that opened the address."""
    assert stranger.get("/", params={"token": gate.token}).status_code == 200
    return stranger


def test_the_address_gives_a_cookie_that_only_this_page_sends(gate: Gate, stranger: Browser) -> None:
    entrance = stranger.get("/", params={"token": gate.token})
    cookie = entrance.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert gate.token.lower() not in cookie
    assert "inside" not in entrance.text
    assert stranger.get("/").text == "inside"


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/nowhere", "/?token=%ff"])
def test_nothing_is_shown_without_the_token(path: str, stranger: Browser) -> None:
    refused = stranger.get(path)
    assert (refused.status_code, refused.text) == (403, "Open the address that `hermes-sdk dev` printed.")


def test_the_token_opens_nothing_but_the_entrance(gate: Gate, stranger: Browser) -> None:
    headers = {"origin": ADDRESS}
    assert stranger.post("/act", params={"token": gate.token}, headers=headers).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "", "[::1]:8765"])
def test_another_host_is_refused_with_the_cookie_too(host: str, client: Browser) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


def test_a_host_that_is_rebound_does_not_get_the_cookie(gate: Gate, stranger: Browser) -> None:
    refused = stranger.get("/", params={"token": gate.token}, headers={"host": "evil.example:8765"})
    assert refused.status_code == 421
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize(
    "origin", ["", "null", "http://evil.example", "http://127.0.0.1:9999", "https://127.0.0.1:8765"]
)
def test_a_post_of_another_page_is_refused(origin: str, client: Browser) -> None:
    assert client.post("/act", headers={"origin": origin} if origin else {}).status_code == 403


def test_a_post_of_the_page_passes(client: Browser) -> None:
    assert client.post("/act", headers={"origin": ADDRESS}).text == "inside"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(method: str, client: Browser) -> None:
    assert client.request(method, "/act", headers={"origin": ADDRESS}).status_code == 405


def test_a_get_does_nothing(client: Browser) -> None:
    assert client.get("/act").status_code == 405


@pytest.mark.parametrize("cookie", ["x", "=;;=", "hermes_sdk_inspector_8765=ünfug"])
def test_an_odd_cookie_is_no_cookie(cookie: str, stranger: Browser) -> None:
    assert stranger.get("/", headers={"cookie": cookie.encode()}).status_code == 403


def test_every_answer_forbids_what_the_page_does_not_need(client: Browser) -> None:
    for answered in (client.get("/"), client.get("/nowhere"), client.get("/", headers={"host": "evil.example"})):
        policy = answered.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answered.headers["x-frame-options"] == "DENY"
        assert answered.headers["referrer-policy"] == "no-referrer"
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["cache-control"] == "no-store"
