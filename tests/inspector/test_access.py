"""Access control of the inspector, request by request."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from inspector.browsing import ADDRESS, Browser
from inspector.serving import find_secret
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from hermes_sdk.inspector.access import HEADER, Gate
from hermes_sdk.inspector.pages import PATHS, Pages
from hermes_sdk.inspector.workbench import Workbench

SHELL = "<!doctype html><title>empty</title>"


async def answer(_: Request) -> Response:
    return PlainTextResponse("inside")


@pytest.fixture
def entries() -> list[str]:
    """Return an entry for each browser that used a token."""
    return []


@pytest.fixture
def gate(entries: list[str]) -> Gate:
    routes = [Route("/", answer), Route("/events", answer), Route("/act", answer, methods=["POST"])]
    return Gate(Starlette(routes=routes), 8765, SHELL, {"/"}, lambda: entries.append("a browser"))


@pytest.fixture
def stranger(gate: Gate) -> Browser:
    return Browser(gate)


@pytest.fixture
def secret(gate: Gate, stranger: Browser) -> dict[str, str]:
    """Return the header of the page, after `stranger` opened the address and got the cookie."""
    entrance = stranger.get("/", params={"token": gate.token})
    assert entrance.status_code == 200
    return {HEADER: find_secret(entrance.text)}


def test_address_gives_a_cookie_and_the_secret_of_the_page(gate: Gate, stranger: Browser) -> None:
    token = gate.token
    entrance = stranger.get("/", params={"token": token})
    cookie = entrance.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    secret = find_secret(entrance.text)
    assert token.lower() not in cookie
    assert secret.lower() not in cookie
    assert token not in entrance.text
    assert "inside" not in entrance.text
    assert stranger.get("/", headers={HEADER: secret}).text == "inside"


def test_token_works_once_and_the_next_one_opens_another_browser(
    gate: Gate, stranger: Browser, entries: list[str]
) -> None:
    token, other = gate.token, Browser(gate)
    assert stranger.get("/", params={"token": token}).status_code == 200
    assert entries == ["a browser"]
    for browser in (stranger, other):
        refused = browser.get("/", params={"token": token})
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
        assert "open the last address that `hermes-sdk dev` printed" in refused.text
        assert "data-secret" not in refused.text
    assert other.get("/").status_code == 403
    assert other.get("/", params={"token": gate.token}).status_code == 200
    assert len(entries) == 2
    assert stranger.get("/").text == SHELL


def test_head_request_does_not_use_the_token(gate: Gate, stranger: Browser) -> None:
    assert stranger.request("HEAD", "/", params={"token": gate.token}).status_code == 403
    assert stranger.get("/", params={"token": gate.token}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/nowhere", "/?token=%ff", "/events"])
def test_page_requires_a_valid_token(path: str, stranger: Browser) -> None:
    refused = stranger.get(path)
    assert refused.status_code == 403
    assert "address that `hermes-sdk dev` printed" in refused.text


def test_token_is_accepted_only_at_the_entrance(gate: Gate, stranger: Browser) -> None:
    headers = {"origin": ADDRESS}
    assert stranger.post("/act", params={"token": gate.token}, headers=headers).status_code == 403


@pytest.mark.usefixtures("secret")
def test_cookie_without_the_secret_gets_an_empty_page(stranger: Browser) -> None:
    assert stranger.get("/").text == SHELL
    for answered in (stranger.get("/events"), stranger.post("/act", headers={"origin": ADDRESS})):
        assert (answered.status_code, "inside" in answered.text) == (403, False)


@pytest.mark.parametrize("path", ["/", "/events"])
def test_secret_of_another_run_is_rejected_with_the_cookie(
    path: str, secret: dict[str, str], stranger: Browser
) -> None:
    assert stranger.get(path, headers={HEADER: "x" * len(secret[HEADER])}).status_code == 403
    assert stranger.get(path, headers={HEADER: ""}).status_code == 403
    assert stranger.get(path, headers=secret).text == "inside"


def test_secret_without_the_cookie_is_rejected(gate: Gate, secret: dict[str, str]) -> None:
    assert Browser(gate).get("/", headers=secret).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "", "[::1]:8765"])
def test_other_host_name_is_rejected_with_the_secret(host: str, secret: dict[str, str], stranger: Browser) -> None:
    assert stranger.get("/", headers={**secret, "host": host}).status_code == 421


def test_rebound_host_name_does_not_get_the_cookie(gate: Gate, stranger: Browser) -> None:
    refused = stranger.get("/", params={"token": gate.token}, headers={"host": "evil.example:8765"})
    assert refused.status_code == 421
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize(
    "origin", ["", "null", "http://evil.example", "http://127.0.0.1:9999", "https://127.0.0.1:8765"]
)
def test_post_from_another_page_is_rejected(origin: str, secret: dict[str, str], stranger: Browser) -> None:
    headers = {**secret, "origin": origin} if origin else secret
    assert stranger.post("/act", headers=headers).status_code == 403


def test_post_from_the_page_is_accepted(secret: dict[str, str], stranger: Browser) -> None:
    assert stranger.post("/act", headers={**secret, "origin": ADDRESS}).text == "inside"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_rejected(method: str, secret: dict[str, str], stranger: Browser) -> None:
    assert stranger.request(method, "/act", headers={**secret, "origin": ADDRESS}).status_code == 405


def test_get_request_runs_no_action(secret: dict[str, str], stranger: Browser) -> None:
    assert stranger.get("/act", headers=secret).status_code == 405


@pytest.mark.parametrize("cookie", ["x", "=;;=", "hermes_sdk_inspector_8765=ünfug"])
def test_malformed_cookie_is_ignored(cookie: str, gate: Gate) -> None:
    assert Browser(gate).get("/", headers={"cookie": cookie.encode()}).status_code == 403


def test_each_response_has_security_headers(gate: Gate, secret: dict[str, str], stranger: Browser) -> None:
    answers = [stranger.get("/"), stranger.get("/", headers=secret), stranger.get("/nowhere")]
    answers += [stranger.get("/", headers={"host": "evil.example"}), stranger.get("/", params={"token": gate.token})]
    for answered in answers:
        policy = answered.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answered.headers["x-frame-options"] == "DENY"
        assert answered.headers["referrer-policy"] == "no-referrer"
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["cache-control"] == "no-store"


@pytest.fixture
def pages(plugin: Path) -> Generator[Pages]:
    bench = Workbench(plugin)
    bench.load()
    yield Pages(bench)
    bench.close()


def test_each_route_requires_the_secret_of_the_page(pages: Pages) -> None:
    gate = Gate(Starlette(routes=pages.routes), 8765, pages.shell, PATHS)
    browser = Browser(gate)
    secret = {HEADER: find_secret(browser.get("/", params={"token": gate.token}).text)}
    assert "sums" not in pages.shell
    paths = [one.path for one in pages.routes if isinstance(one, Route)]
    assert [one.path for one in pages.routes if not isinstance(one, Route)] == ["/static"]
    for path in paths:
        for method in ("GET", "HEAD", "POST"):
            answered = browser.request(method, path, headers={"origin": ADDRESS})
            is_shell = method == "GET" and path in PATHS and answered.text == pages.shell
            assert is_shell or answered.status_code == 403, f"{method} {path}"
            assert "sums" not in answered.text
    for path in PATHS:
        assert "sums" in browser.get(path, headers=secret).text
    assert browser.get("/static/inspector.js").status_code == 200
