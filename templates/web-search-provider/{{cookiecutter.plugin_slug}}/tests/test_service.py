"""Requests to the service, with a test server on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from {{ cookiecutter.__package }} import service

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

TWO = b"""{
    "results": [
        {"title": "One", "url": "http://one", "content": "1"},
        {"title": "Two", "url": "http://two"}
    ]
}"""
WRONG = [b"", b"<html>", b"[]", b'{"results": 5}', b'{"results": [{}]}', b'{"results": ["x"]}']


class Service:
    """A search service with a configurable answer, which records the queries."""

    def __init__(self) -> None:
        self.answer = b""
        self.queries: list[str] = []
        self.url = ""


@pytest.fixture
def server() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            service.queries += parse_qs(urlsplit(self.path).query)["q"]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(service.answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        service.url = f"http://127.0.0.1:{running.server_port}/search"
        threading.Thread(target=running.serve_forever, args=(0.01,)).start()
        yield service
        running.shutdown()


def test_results_come_in_the_order_of_the_service(server: Service) -> None:
    server.answer = TWO

    assert service.search(server.url, "café & co", 5) == [
        {"title": "One", "url": "http://one", "description": "1", "position": 1},
        {"title": "Two", "url": "http://two", "description": "", "position": 2},
    ]
    assert server.queries == ["café & co"]


def test_the_limit_is_respected(server: Service) -> None:
    server.answer = TWO

    assert len(service.search(server.url, "x", 1)) == 1


@pytest.mark.parametrize("answer", WRONG)
def test_an_invalid_answer_is_reported(server: Service, answer: bytes) -> None:
    server.answer = answer

    with pytest.raises(service.Failed, match="an invalid answer"):
        service.search(server.url, "x", 5)


@pytest.mark.parametrize("address", ["", "file:///etc/hosts", "http://127.0.0.1:1"])
def test_an_unreachable_service_is_reported(address: str) -> None:
    with pytest.raises(service.Failed):
        service.search(address, "x", 5)


@pytest.fixture
def known(server: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The service, with its address in the environment of Hermes."""
    monkeypatch.setenv("{{ cookiecutter.__package | upper }}_URL", server.url)
    return server


@pytest.mark.hermes(config={"web": {"backend": "{{ cookiecutter.plugin_slug }}"}})
def test_web_search_queries_the_service(known: Service, hermes: Host) -> None:
    known.answer = TWO

    result = hermes.call_tool("web_search", query="tea", limit=1)

    assert [one["title"] for one in result.json["data"]["web"]] == ["One"]
    assert known.queries == ["tea"]
