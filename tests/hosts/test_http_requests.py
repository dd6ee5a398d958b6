"""Recording and replay of requests is the same for all HTTP clients."""

import asyncio
import functools
import http.client
import json
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import httpx
import httpx2
import pytest
import requests
from aiohttp.client_proto import ResponseHandler
from traces.http_service import Service, serve

from hermes_sdk.hosts.in_worker.http_clients import HttpClients
from hermes_sdk.hosts.in_worker.http_requests import HttpRequests
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.traces.recording import list_http_answers

HEADERS = {"X-Tea": "green", "Accept": "text/plain"}
SENT = b'{"text": "tea"}'


def by_urllib(url: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, SENT, HEADERS), timeout=9) as answer:
        content: bytes = answer.read()
        return content


def by_http_client(url: str) -> bytes:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=9)
    content = b""
    for _ in "ab":
        connection.request("POST", f"{place.path}?{place.query}", iter([SENT[:3], SENT[3:]]), HEADERS)
        content = connection.getresponse().read()
    connection.close()
    return content


def by_requests(url: str) -> bytes:
    with requests.Session() as session:
        session.get(url, headers=HEADERS, timeout=9)
        return session.post(url, SENT, headers=HEADERS, timeout=9).content


def by_httpx(url: str) -> bytes:
    with httpx.Client() as client, client.stream("POST", url, content=SENT, headers=HEADERS) as answer:
        return b"".join(answer.iter_bytes())


def by_async_httpx(url: str) -> bytes:
    async def fetch() -> bytes:
        async with httpx.AsyncClient() as client:
            answers = await asyncio.gather(*(client.post(url, content=SENT, headers=HEADERS) for _ in "ab"))
            return answers[1].content

    return asyncio.run(fetch())


def by_httpx2(url: str) -> bytes:
    return httpx2.post(url, content=SENT, headers=HEADERS).content


def by_aiohttp(url: str) -> bytes:
    async def body() -> AsyncGenerator[bytes]:
        for part in (SENT[:3], SENT[3:]):
            yield part

    async def fetch() -> bytes:
        async with aiohttp.ClientSession() as session:
            async with session.post(url, data=SENT, headers=HEADERS) as answer:
                await answer.read()
            async with session.post(url, data=body(), headers=HEADERS) as answer:
                return b"".join([part async for part in answer.content.iter_any()])

    return asyncio.run(fetch())


def get_by_aiohttp(url: str, timeout: float = 9, *, is_read: bool = True) -> bytes:
    async def fetch() -> bytes:
        limit = aiohttp.ClientTimeout(timeout)
        async with aiohttp.ClientSession(timeout=limit) as session, session.get(url) as answer:
            return await answer.read() if is_read else b""

    return asyncio.run(fetch())


Client = Callable[[str], bytes]
CLIENTS: Mapping[Client, int] = {
    by_urllib: 1,
    by_http_client: 2,
    by_requests: 2,
    by_httpx: 1,
    by_async_httpx: 2,
    by_httpx2: 1,
    by_aiohttp: 2,
}


@pytest.fixture
def service() -> Generator[Service]:
    with serve() as server:
        yield server


@contextmanager
def observing(answers: Any = None) -> Generator[tuple[Recording, HttpRequests]]:
    recording = Recording(keep=True)
    observed = HttpRequests(recording, answers)
    clients = HttpClients(observed)
    clients.install()
    try:
        yield recording, observed
    finally:
        clients.remove()


def find_requests(recording: Recording) -> list[dict[str, Any]]:
    return [event for event in recording.events if event["kind"] == "http_request"]


def call(recording: Recording, client: Callable[..., Any], *args: Any, kind: str = "tool") -> Any:
    return recording.call(kind, "look", client, args, {})


@pytest.mark.parametrize("path", ["/look?q=tea", "/chunked?q=tea"])
@pytest.mark.parametrize("client", [*CLIENTS], ids=lambda client: client.__name__)
def test_client_receives_same_response_in_replay(client: Client, path: str, service: Service) -> None:
    url = service.url + path
    with observing() as (recording, _):
        assert call(recording, client, url) == service.body
    recorded = find_requests(recording)
    assert len(recorded) == len(service.requests) == CLIENTS[client]
    event = recorded[-1]
    assert event["name"] == f"POST {url.partition('?')[0]}"
    assert event["arguments"]["url"] == url
    assert event["arguments"]["headers"].items() >= {"x-tea": "green", "accept": "text/plain"}.items()
    assert event["arguments"]["headers"].keys() <= {"x-tea", "accept", "content-type"}
    assert event["arguments"]["body"] == SENT.decode()
    assert event["returned"]["body"] == service.body.decode()
    service.shutdown()
    service.server_close()
    with observing(list_http_answers(recording.events)) as (again, answered):
        assert call(again, client, url) == service.body
    assert answered.problems() == []
    assert [one["arguments"] for one in find_requests(again)] == [one["arguments"] for one in recorded]
    assert [one["returned"] for one in find_requests(again)] == [one["returned"] for one in recorded]


def test_clients_are_restored_after_recording() -> None:
    owners: list[Any] = [http.client.HTTPConnection, httpx.HTTPTransport, httpx.AsyncHTTPTransport]
    owners += [aiohttp.TCPConnector, aiohttp.ClientRequest, ResponseHandler]
    before = [*map(vars, owners)], [*sys.meta_path]
    before = [{**one} for one in before[0]], before[1]
    with observing():
        pass
    assert ([{**vars(one)} for one in owners], sys.meta_path) == before


def test_only_requests_of_callbacks_are_recorded(service: Service) -> None:
    names: dict[str, Any] = {"__name__": "agent.auxiliary_client"}
    exec("import httpx\ndef ask(url): return httpx.get(url).content", names)
    with observing() as (recording, _):
        by_urllib(service.url)
        call(recording, by_urllib, service.url, kind="ctx_llm")
        call(recording, by_urllib, service.url, kind="builtin_tool")
        call(recording, names["ask"], service.url)
        assert find_requests(recording) == []
        asyncio.run(call(recording, asyncio.to_thread, by_urllib, service.url))
    assert len(find_requests(recording)) == 1
    assert len(service.requests) == 5


def test_answers_are_matched_by_body_in_order() -> None:
    answers = [
        {"method": "POST", "url": "https://api.example/a", "sent": sent, "status": 200, "body": body}
        for sent, body in (("x", "1"), ("y", "2"), ("x", "3"))
    ]
    with observing(answers) as (recording, observed):

        def ask(body: str) -> str:
            return httpx.post("https://api.example/a", content=body).text

        assert [call(recording, ask, body) for body in ("y", "x", "z")] == ["2", "1", "3"]
    assert observed.problems() == []


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("https://a.example/b?key=<redacted>&q=1", "https://a.example/b?key=%3Credacted%3E&q=1"),
        ("https://a.example/b?sig=<redacted>&q=1", "https://a.example/b?sig=ff%2F%26&q=1"),
        ("https://a.example/bot<redacted>/send", "https://a.example/bot1:2/send"),
        ("https://a.example/s/20261123_120000_0a1b2c", "https://a.example/s/20270101_000000_ffffff"),
        ("https://a.example/b?since=1795435200", "https://a.example/b?since=1795435999"),
        ("http://127.0.0.1:80/b", "http://127.0.0.1:8080/b"),
    ],
)
def test_volatile_parts_of_url_are_ignored(recorded: str, asked: str) -> None:
    with observing([{"method": "GET", "url": recorded, "status": 204}]) as (recording, _):
        assert call(recording, httpx.get, asked).status_code == 204


def test_unrecorded_request_is_rejected() -> None:
    with observing([{"method": "GET", "url": "https://a.example/b?q=1", "status": 200}]) as (recording, observed):
        with pytest.raises(urllib.error.URLError, match=r"no recorded answer .* GET https://a.example/b"):
            call(recording, urllib.request.urlopen, "https://a.example/b?q=2")
        with pytest.raises(requests.ConnectionError):
            call(recording, requests.get, "https://a.example/c")
        with pytest.raises(httpx.ConnectError):
            call(recording, httpx.get, "https://a.example/d")
    assert observed.problems() == [
        *(f"no recorded answer is left for the request GET https://a.example/{one}" for one in "bcd"),
        "a recorded answer was not used: GET https://a.example/b",
    ]


def test_recorded_connection_errors_are_replayed(service: Service) -> None:
    def ask(url: str) -> str:
        told = []
        for fetch in (urllib.request.urlopen, httpx.get, requests.get, get_by_aiohttp):
            try:
                fetch(url)
            except (OSError, httpx.HTTPError) as error:
                told.append(type(error).__name__)
        return str(told)

    service.shutdown()
    service.server_close()
    with observing() as (recording, _):
        told = call(recording, ask, service.url)
    assert [event["raised"] for event in find_requests(recording)] == ["no response"] * 4
    answers = list_http_answers(recording.events)
    with observing(answers) as (again, observed):
        assert call(again, ask, service.url) == told
    assert told == "['URLError', 'ConnectError', 'ConnectionError', 'ClientConnectorError']"
    assert observed.problems() == []


def test_recorded_timeouts_are_replayed() -> None:
    answer = {"method": "GET", "url": "https://a.example/", "error": "timeout"}
    with observing([answer] * 4) as (recording, _):
        with pytest.raises(TimeoutError):
            call(recording, urllib.request.urlopen, "https://a.example/")
        with pytest.raises(httpx.TimeoutException):
            call(recording, httpx.get, "https://a.example/")
        with pytest.raises(requests.Timeout):
            call(recording, requests.get, "https://a.example/", kind="hook")
        with pytest.raises(TimeoutError):
            call(recording, get_by_aiohttp, "https://a.example/")


def test_aiohttp_timeout_is_recorded() -> None:
    with observing() as (recording, _), socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(TimeoutError):
            call(recording, get_by_aiohttp, url, 0.05)
    assert [event["raised"] for event in find_requests(recording)] == ["timeout"]


def test_unread_aiohttp_response_is_recorded(service: Service) -> None:
    service.body = Random(0).randbytes(2**20)
    with observing() as (recording, _):
        call(recording, functools.partial(get_by_aiohttp, is_read=False), service.url)
    (event,) = find_requests(recording)
    assert event["returned"]["status"] == 200


def test_httpx2_imported_as_httpx_is_recorded_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", httpx2)
    with observing() as (recording, _):
        call(recording, httpx2.get, service.url)
    assert len(find_requests(recording)) == 1


def test_binary_bodies_are_preserved(service: Service) -> None:
    service.body = bytes(range(256))
    with observing() as (recording, _):
        assert call(recording, by_urllib, service.url) == service.body
    (answer,) = list_http_answers(recording.events)
    assert answer["body"].keys() == {"base64"}
    with observing([answer]) as (again, _):
        assert call(again, by_httpx, service.url) == service.body


def test_content_length_of_head_request_is_preserved(service: Service) -> None:
    def ask(url: str) -> str | None:
        return requests.head(url, headers={"Accept-Encoding": "identity"}, timeout=9).headers.get("Content-Length")

    with observing() as (recording, _):
        length = call(recording, ask, service.url)
    with observing(list_http_answers(recording.events)) as (again, _):
        assert call(again, ask, service.url) == length == str(len(service.body))


def test_multipart_boundaries_are_normalised(service: Service) -> None:
    def post(url: str) -> None:
        httpx.post(url, files={"file": ("a.txt", b"tea")})
        requests.post(url, files={"file": ("a.txt", b"tea")}, timeout=9)

    with observing() as (recording, _):
        call(recording, post, service.url)
    for event in find_requests(recording):
        assert event["arguments"]["headers"]["content-type"] == "multipart/form-data; boundary=boundary"
        assert event["arguments"]["body"].startswith("--boundary\r\n")


def test_accepted_encodings_are_limited(service: Service) -> None:
    service.headers = {"Content-Encoding": "br"}
    service.body = b"\x1b\x00"
    with observing() as (recording, observed):
        request = urllib.request.Request(service.url, headers={"Accept-Encoding": "br"})
        call(recording, urllib.request.urlopen, request).read()
    assert observed.problems() == [f"a body with the content-encoding br is not recorded: GET {service.url}/"]
    assert json.dumps(find_requests(recording)[0]["returned"]["body"]) == '""'


def test_web_sockets_of_aiohttp_are_not_recorded(service: Service) -> None:
    async def open_socket() -> None:
        async with aiohttp.ClientSession() as session:
            await session.ws_connect(service.url)

    with observing() as (recording, _):
        with pytest.raises(aiohttp.WSServerHandshakeError):
            asyncio.run(call(recording, open_socket))
        assert find_requests(recording) == []
