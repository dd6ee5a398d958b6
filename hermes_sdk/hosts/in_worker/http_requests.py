"""Recording of HTTP requests of plugins, and replay of recorded answers instead of network access.

Both hosts use this module.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import errno
import re
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from . import recording as recordings
from .recording import Recording

ENCODINGS: Final = ("gzip", "x-gzip", "deflate", "identity")
"""The encodings of bodies that can be recorded as text."""

HTTP_ERRORS: Final = ("timeout", "no response")
"""Reasons why a request got no response."""

_ABOUT_TRANSPORT = re.compile(
    r"accept-encoding|connection|content-(?:encoding|length)|cookie|host|keep-alive|transfer-encoding|user-agent"
    r"|x-stainless-.*"
)
"""Headers that depend on the HTTP client, its version and its state; bodies are recorded decoded."""

_OF_HOST = frozenset(
    {"acp_adapter", "agent", "cli", "cron", "gateway", "hermes_cli", "model_tools", "run_agent", "tools", "tui_gateway"}
)
"""Top-level modules of the host, whose own requests, such as those to the model, are not recorded."""

_REDACTED = "<redacted>"
"""The text in a recorded URL that matches any text, such as a key."""

_QUOTED_DELIMITER = re.compile("(?i)%(?=2[36f]|3f)")
_VARYING = re.compile(
    r"(?i)\b\d{8}_\d{6}_[0-9a-f]{6,8}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b"
    r"|\b\d{4}-\d\d-\d\d(?:[T +]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{10}(?:\.\d+|\d{3})?\b"
    r"|(?<=127\.0\.0\.1):\d+"
)
"""Parts of a URL that differ between runs: ids, times and ports."""


@dataclass(frozen=True)
class Request:
    """A sent request."""

    method: str
    url: str
    headers: Iterable[tuple[str, str]] = ()
    body: bytes = b""

    def __str__(self) -> str:
        return f"{self.method} {self.url.partition('?')[0]}"


@dataclass(frozen=True)
class Response:
    """A received response, with the part of the body that was read."""

    status: int
    headers: Iterable[tuple[str, str]] = field(default=())
    body: bytes = b""


Finish = Callable[[Response | BaseException], None]


class HttpRequests:
    """Recorder of requests in callbacks of plugins, as events of the kind ``http_request``.

    With `answers`, each ``{"method", "url", "body", "status", "headers"}`` or with an ``error`` instead of the last
    two, a request gets the first answer for its method, URL and body, or else the first for its method and URL.
    Requests without an answer are rejected. Without `answers`, requests are sent.
    """

    def __init__(
        self,
        recording: Recording,
        answers: Iterable[Mapping[str, Any]] | None = None,
        on_problem: Callable[[str], object] = str,
    ) -> None:
        self.replays = answers is not None
        self._recording = recording
        self._left = list(answers or ())
        self._lock = threading.Lock()
        self._problems: list[str] = []
        self._on_problem = on_problem

    def covers_caller(self) -> bool:
        """Return whether the current request comes from plugin code in a callback."""
        return self._recording.active and recordings.is_in_callback() and not _is_asked_by_host()

    def problems(self) -> list[str]:
        """Return the requests without an answer, and the unused answers."""
        left = [f"a recorded answer was not used: {Request(one['method'], one['url'])!s}" for one in self._left]
        return [*self._problems, *left]

    def begin(self, request: Request) -> Finish:
        """Record a request, and return a function that completes its event with the response or the error."""
        headers, body = _fix_boundary(_list_headers(request.headers), request.body)
        arguments = {
            "method": request.method,
            "url": request.url,
            "headers": _drop_transport(headers),
            "body": self._read(request, headers, body),
        }
        complete = self._recording.begin("http_request", str(request), arguments=arguments)

        def finish(outcome: Response | BaseException) -> None:
            if isinstance(outcome, BaseException):
                complete(raised=_name_error(outcome))
                return
            got = _list_headers(outcome.headers)
            body = self._read(request, got, outcome.body)
            kept = _drop_transport(got)
            if request.method == "HEAD" and "content-length" in got:
                kept["content-length"] = got["content-length"]
            complete(returned={"status": outcome.status, "headers": kept, "body": body})

        return finish

    def refuses(self, request: Request) -> bool:
        """Return whether a request gets no response, independent of its body."""
        found = self._find(request)
        return not found or found[0].get("error") == "no response"

    def answer(self, request: Request) -> Response:
        """Answer a request as recorded.

        Raises:
            TimeoutError: The recorded request timed out.
            ConnectionRefusedError: The recorded request got no response, or there is no recorded answer.
        """
        finish = self.begin(request)
        try:
            response = self._take(request)
        except OSError as error:
            finish(error)
            raise
        finish(response)
        return response

    def _take(self, request: Request) -> Response:
        _, body = _fix_boundary(_list_headers(request.headers), request.body)
        text = write_body(body)
        with self._lock:
            found = self._find(request)
            if not found:
                problem = f"no recorded answer is left for the request {request}"
                self._note(problem)
                raise ConnectionRefusedError(errno.ECONNREFUSED, problem)
            taken = next((one for one in found if one.get("sent", "") == text), found[0])
            self._left.remove(taken)
        if taken.get("error") == "timeout":
            raise TimeoutError("timed out")
        if taken.get("error"):
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        return Response(taken["status"], tuple(taken.get("headers", {}).items()), read_body(taken.get("body", "")))

    def _find(self, request: Request) -> list[Mapping[str, Any]]:
        """Return the answers for a method and URL."""
        url = _simplify(request.url)
        found = [one for one in self._left if one["method"] == request.method and _fits(one["url"], url)]
        return [one for one in found if one["url"] == request.url] or found

    def _note(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.append(problem)
            self._on_problem(problem)

    def _read(self, request: Request, headers: Mapping[str, str], body: bytes) -> Any:
        encoding = headers.get("content-encoding", "")
        try:
            return write_body(_decompress(body, encoding))
        except (ValueError, zlib.error):
            self._note(f"a body with the content-encoding {encoding} is not recorded: {request}")
            return ""


def write_body(body: bytes) -> Any:
    """Return a body as a JSON value: a text, or a mapping with base64."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def read_body(value: Any) -> bytes:
    """Return the body of a value from `write_body`; redacted base64 is a text."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    text = str(value["base64"])
    with contextlib.suppress(binascii.Error, ValueError):
        return base64.b64decode(text, validate=True)
    return text.encode()


def _fits(recorded: str, url: str) -> bool:
    """Return whether a simplified URL matches a recorded one, in which secrets may be redacted."""
    parts = map(re.escape, _simplify(recorded).split(_REDACTED))
    return re.fullmatch("[^?&#]*".join(parts), url) is not None


def _simplify(url: str) -> str:
    """Return a URL without parts that differ between runs, and without percent-encoding except for delimiters."""
    return _VARYING.sub("*", unquote(_QUOTED_DELIMITER.sub("%25", url)))


def _list_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return headers by lower-case name; headers with the same name are joined."""
    listed: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        listed[key] = f"{listed[key]}, {value}" if key in listed else value
    return listed


def _drop_transport(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not _ABOUT_TRANSPORT.fullmatch(name)}


def _fix_boundary(headers: dict[str, str], body: bytes) -> tuple[dict[str, str], bytes]:
    """Replace the boundary of a multipart body, which clients choose at random."""
    found = re.match(r'(?i)multipart/.*boundary="?([^";,\s]+)', headers.get("content-type", ""))
    if found is None:
        return headers, body
    kind = headers["content-type"].replace(found[1], "boundary")
    return {**headers, "content-type": kind}, body.replace(found[1].encode(), b"boundary")


def _decompress(body: bytes, encoding: str) -> bytes:
    for name in reversed([one.strip().lower() for one in encoding.split(",") if one.strip()]):
        if name not in ENCODINGS:
            raise ValueError(name)
        if name != "identity" and body:
            # Some servers send deflate without a zlib header.
            plain = name == "deflate" and body[0] & 15 != zlib.DEFLATED
            body = zlib.decompressobj(-15 if plain else 47).decompress(body)
    return body


def _name_error(error: BaseException) -> str:
    """Return the name of an error in `HTTP_ERRORS`, which is the same for all clients."""
    return "timeout" if "timeout" in type(error).__name__.lower() else "no response"


def _is_asked_by_host() -> bool:
    """Return whether code of the host, called by a callback, makes the request."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name == recordings.__name__:
            return False
        if name.partition(".")[0] in _OF_HOST:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
