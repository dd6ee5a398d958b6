"""Parsing and formatting of HTTP messages."""

from __future__ import annotations

import http.client
import io
from typing import Any

from .http_requests import ENCODINGS, Request, Response


def limit_encodings(value: Any) -> str:
    """Remove the encodings that cannot be recorded from an ``Accept-Encoding`` header."""
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return ", ".join(one for one in text.split(", ") if one.partition(";")[0].strip() in ENCODINGS) or "identity"


class _Received:
    """Socket of an `http.client.HTTPResponse` that reads received bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, mode: str) -> io.BytesIO:
        assert mode == "rb"
        return io.BytesIO(self._content)


def parse_response(content: bytes, method: str) -> Response:
    """Parse the response to a request with a method; its body may be truncated."""
    received: Any = _Received(content)
    response = http.client.HTTPResponse(received, method=method)
    response.begin()
    try:
        body = response.read()
    except http.client.IncompleteRead as error:
        body = error.partial
    return Response(response.status, response.getheaders(), body)


def parse_request(sent: bytes, scheme: str, host: str) -> Request:
    """Parse a request to a host; `scheme` is ``http`` or ``https``."""
    head, _, body = sent.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, target = first.partition(" ")
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    named = {name.lower(): value for name, value in headers}
    if "chunked" in named.get("transfer-encoding", ""):
        body = parse_response(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body, method).body
    path = target.rpartition(" ")[0]
    url = f"{scheme}://{named.get('host', host)}{path}" if path.startswith("/") else path
    return Request(method, url, headers, body)


def format_response(response: Response) -> bytes:
    """Format a response for a connection that is closed after it."""
    headers = {"connection": "close", "content-length": str(len(response.body)), **dict(response.headers)}
    phrase = http.client.responses.get(response.status, "")
    lines = [f"HTTP/1.1 {response.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + response.body
