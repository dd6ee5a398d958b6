"""Recording and replay of requests of HTTP clients.

Supported clients are http.client, which urllib and requests use, httpx, httpx2 and aiohttp.
"""

from __future__ import annotations

import functools
import http.client
import io
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from . import aiohttp_connections
from .after_import import AfterImport
from .http_requests import Finish, HttpRequests, Request, Response
from .http_wire import format_response, limit_encodings, parse_request, parse_response


class HttpClients:
    """Lets `requests` record, and possibly answer, the requests of this process that it covers."""

    def __init__(self, requests: HttpRequests) -> None:
        self.requests = requests
        self._undo = ExitStack()

    def install(self) -> None:
        """Attach to the clients, including clients that are imported later."""
        self._attach_connection(http.client)
        parts = {
            "urllib3.connection": self._attach_urllib3,
            "httpx": self._attach_httpx,
            "httpx2": self._attach_httpx,
            "aiohttp": self._attach_aiohttp,
        }
        # Attach to each module only once: `httpx` may be an alias of `httpx2`.
        loaded = {sys.modules[name]: attach for name, attach in parts.items() if name in sys.modules}
        for module, attach in loaded.items():
            attach(module)
        finder = AfterImport({name: attach for name, attach in parts.items() if name not in sys.modules})
        sys.meta_path.insert(0, finder)
        self._undo.callback(_remove_finder, finder)

    def remove(self) -> None:
        """Detach from all clients; a second call does nothing."""
        self._undo.close()

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        original = getattr(owner, name)
        setattr(owner, name, functools.wraps(original)(make(original)))
        self._undo.callback(setattr, owner, name, original)

    def _attach_connection(self, module: Any) -> None:
        requests = self.requests

        def observe_header(put: Any) -> Any:
            def put_header(connection: Any, header: Any, *values: Any) -> None:
                if str(header).lower() == "accept-encoding" and requests.covers_caller():
                    values = (limit_encodings(*values),)
                put(connection, header, *values)

            return put_header

        def observe(send: Any) -> Any:
            def send_data(connection: Any, data: Any) -> None:
                if not requests.covers_caller() or (isinstance(data, bytes) and data.startswith(b"CONNECT ")):
                    send(connection, data)
                    return
                if not isinstance(connection.sock, _Socket):
                    _open(connection, requests, data)
                send(connection, data)

            return send_data

        self._replace(module.HTTPConnection, "putheader", observe_header)
        self._replace(module.HTTPConnection, "send", observe)

    def _attach_urllib3(self, module: Any) -> None:
        """Skip the connection of answered requests, which urllib3 opens before it sends a request by HTTPS."""
        requests = self.requests

        def observe(connect: Any) -> Any:
            def open_connection(connection: Any) -> None:
                if requests.replays and requests.covers_caller():
                    connection.sock, connection.is_verified = _Socket(connection, requests, socket.socket()), True
                else:
                    connect(connection)

            return open_connection

        for name in ("HTTPConnection", "HTTPSConnection"):
            self._replace(getattr(module, name), "connect", observe)

    def _attach_httpx(self, module: Any) -> None:
        requests = self.requests
        stream = _make_stream(module)

        def observe(handle: Any) -> Any:
            def handle_request(transport: Any, request: Any) -> Any:
                if not requests.covers_caller():
                    return handle(transport, request)
                request.read()
                if requests.replays:
                    return _answer(module, requests, request)
                finish = requests.begin(_describe(request))
                try:
                    response = handle(transport, request)
                except BaseException as error:
                    finish(error)
                    raise
                response.stream = stream(response, finish)
                return response

            return handle_request

        def observe_async(handle: Any) -> Any:
            async def handle_request(transport: Any, request: Any) -> Any:
                if not requests.covers_caller():
                    return await handle(transport, request)
                await request.aread()
                if requests.replays:
                    return _answer(module, requests, request)
                finish = requests.begin(_describe(request))
                try:
                    response = await handle(transport, request)
                except BaseException as error:
                    finish(error)
                    raise
                response.stream = stream(response, finish)
                return response

            return handle_request

        self._replace(module.HTTPTransport, "handle_request", observe)
        self._replace(module.AsyncHTTPTransport, "handle_async_request", observe_async)

    def _attach_aiohttp(self, module: Any) -> None:
        aiohttp_connections.attach(module, self.requests, self._replace)


def _remove_finder(finder: AfterImport) -> None:
    # A closed host has already restored the list.
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


def _parse_request(connection: Any, sent: bytes) -> Request:
    scheme = "https" if connection.default_port == http.client.HTTPS_PORT else "http"
    return parse_request(sent, scheme, connection.host)


def _open(connection: Any, requests: HttpRequests, data: Any) -> None:
    """Attach an observing socket to a connection of `http.client`; answered requests do not need a connection."""
    if requests.replays:
        # Clients expect connection errors before they send a body.
        request = _parse_request(connection, data)
        if requests.refuses(request):
            requests.answer(request)
        connection.sock = _Socket(connection, requests, socket.socket())
        return
    if connection.sock is None and connection.auto_open:
        try:
            connection.connect()
        except Exception as error:
            requests.begin(_parse_request(connection, data))(error)
            raise
    if connection.sock is not None:
        connection.sock = _Socket(connection, requests, connection.sock)


class _Socket:
    """Socket of a connection of `http.client`: all data that is sent before the response is read is one request."""

    def __init__(self, connection: Any, requests: HttpRequests, real: socket.socket) -> None:
        self._connection = connection
        self._requests = requests
        self._real = real
        self._sent = bytearray()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def sendall(self, data: Any, *flags: Any) -> None:
        """Send data, unless the request gets a recorded answer."""
        if not self._requests.replays:
            self._real.sendall(data, *flags)
        self._sent += data

    def makefile(self, *args: Any, **options: Any) -> Any:
        """Return the response to the sent request."""
        if not (self._requests.replays or self._requests.covers_caller()):
            return self._real.makefile(*args, **options)
        request = _parse_request(self._connection, bytes(self._sent))
        self._sent.clear()
        if self._requests.replays:
            return io.BytesIO(format_response(self._requests.answer(request)))
        finish = self._requests.begin(request)
        return io.BufferedReader(_Tee(self._real.makefile("rb", buffering=0), request, finish))


class _Tee(io.RawIOBase):
    """Reader of a response that completes the event of the request when it is closed."""

    def __init__(self, raw: Any, request: Request, finish: Finish) -> None:
        self._raw = raw
        self._request = request
        self._finish = finish
        self._seen = bytearray()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        try:
            count = self._raw.readinto(buffer)
        except OSError as error:
            self._finish(error)
            raise
        self._seen += memoryview(buffer)[: count or 0]
        return count

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._raw.close()
            try:
                self._finish(parse_response(bytes(self._seen), self._request.method))
            except Exception as error:
                # Errors of this code must not reach the plugin.
                self._finish(error)


def _describe(request: Any) -> Request:
    """Describe a request of httpx, and limit its accepted encodings to those that can be recorded."""
    if "accept-encoding" in request.headers:
        request.headers["accept-encoding"] = limit_encodings(request.headers["accept-encoding"])
    url = request.url.copy_with(raw_path=request.url.raw_path, fragment=None)
    return Request(request.method, str(url), request.headers.multi_items(), request.content)


def _answer(httpx: Any, requests: HttpRequests, request: Any) -> Any:
    try:
        response = requests.answer(_describe(request))
    except TimeoutError as error:
        raise httpx.ReadTimeout(str(error), request=request) from error
    except OSError as error:
        raise httpx.ConnectError(str(error), request=request) from error
    return httpx.Response(response.status, headers=[*response.headers], content=response.body)


def _make_stream(httpx: Any) -> Any:
    """Create the class of streams that complete the event of a request when they are closed."""

    class Stream(httpx.SyncByteStream, httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: Any, finish: Finish) -> None:
            self._response = response
            self._stream = response.stream
            self._finish = finish
            self._seen = bytearray()

        def __iter__(self) -> Any:
            for chunk in self._stream:
                self._seen += chunk
                yield chunk

        async def __aiter__(self) -> Any:
            async for chunk in self._stream:
                self._seen += chunk
                yield chunk

        def close(self) -> None:
            self._stream.close()
            self._end()

        async def aclose(self) -> None:
            await self._stream.aclose()
            self._end()

        def _end(self) -> None:
            response = self._response
            self._finish(Response(response.status_code, response.headers.multi_items(), bytes(self._seen)))

    return Stream
