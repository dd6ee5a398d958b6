"""Recording and replay of aiohttp requests at the level of connections, below redirects and cookies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .http_requests import Finish, HttpRequests, Request
from .http_wire import format_response, limit_encodings, parse_request, parse_response

Replace = Callable[[Any, str, Callable[[Any], Any]], None]
"""Called with an object, the name of its method, and a function that returns a new method for the old one."""


def attach(aiohttp: Any, requests: HttpRequests, replace: Replace) -> None:
    """Let `requests` record, and possibly answer, the aiohttp requests that it covers."""

    def connect(create: Any) -> Any:
        async def create_connection(connector: Any, request: Any, *options: Any) -> Any:
            if not requests.covers_caller():
                return await create(connector, request, *options)
            asked = Request(request.method, str(request.url))
            if requests.replays:
                return _connect_to_answers(aiohttp, connector, request, requests)
            try:
                return await create(connector, request, *options)
            except BaseException as error:
                requests.begin(asked)(error)
                raise

        return create_connection

    def observe(send: Any) -> Any:
        async def send_request(request: Any, connection: Any) -> Any:
            is_web_socket = "Upgrade" in request.headers
            if requests.replays or is_web_socket or not requests.covers_caller():
                return await send(request, connection)
            if "Accept-Encoding" in request.headers:
                request.headers["Accept-Encoding"] = limit_encodings(request.headers["Accept-Encoding"])
            exchange = _Exchange(requests, request, connection.protocol)
            return exchange.observe(await send(request, connection))

        return send_request

    def receive(data_received: Any) -> Any:
        def receive_data(protocol: Any, data: bytes) -> None:
            if isinstance(protocol.transport, _Exchange):
                protocol.transport.receive(data)
            data_received(protocol, data)

        return receive_data

    replace(aiohttp.TCPConnector, "_create_connection", connect)
    replace(aiohttp.ClientRequest, "send", observe)
    replace(aiohttp.client_proto.ResponseHandler, "data_received", receive)


class _Exchange:
    """Transport of a connection, from a request until the end of its response."""

    def __init__(self, requests: HttpRequests, request: Any, protocol: Any) -> None:
        self._requests = requests
        self._request = request
        self._protocol = protocol
        self._real = protocol.transport
        self._sent = bytearray()
        self._received = bytearray()
        self._finish: Finish | None = None
        protocol.transport = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def write(self, data: Any) -> None:
        """Send part of the request."""
        self._sent += data
        self._real.write(data)

    def writelines(self, parts: Any) -> None:
        """Send parts of the request."""
        self.write(b"".join(parts))

    def receive(self, data: bytes) -> None:
        """Store part of the response; the request is complete when the response begins."""
        self._begin()
        self._received += data

    def close(self) -> None:
        """Close the connection; this ends a response that was not read completely."""
        self._end()
        self._real.close()

    def abort(self) -> None:
        """Close the connection immediately."""
        self._end()
        self._real.abort()

    def observe(self, response: Any) -> Any:
        """Complete the event when the response is received or fails."""
        start = response.start

        async def start_response(connection: Any) -> Any:
            try:
                await start(connection)
            except BaseException as error:
                self._end(error)
                raise
            response.content.on_eof(self._end)
            return response

        response.start = start_response
        return response

    def _begin(self) -> Finish:
        if self._finish is None:
            self._finish = self._requests.begin(_parse(self._request, self._sent))
        return self._finish

    def _end(self, error: BaseException | None = None) -> None:
        """Complete the event, and restore the transport of the connection; a second call does nothing."""
        if self._protocol.transport is not self:
            return
        self._protocol.transport = self._real
        finish = self._begin()
        try:
            finish(error or parse_response(bytes(self._received), self._request.method))
        except Exception as problem:
            # Errors of this code must not reach the plugin.
            finish(problem)


class _Answers(asyncio.Transport):
    """Transport of a connection to recorded answers."""

    def __init__(self, aiohttp: Any, request: Any, protocol: Any, requests: HttpRequests) -> None:
        super().__init__()
        self._aiohttp = aiohttp
        self._request = request
        self._protocol = protocol
        self._requests = requests
        self._sent = bytearray()
        self._is_closed = False

    def write(self, data: Any) -> None:
        self._sent += data
        if _is_complete(self._sent):
            # Answer later, because the client waits for the response only after it has sent the request.
            asyncio.get_running_loop().call_soon(self._answer)

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def is_closing(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        self._is_closed = True

    abort = close

    def _answer(self) -> None:
        try:
            response = self._requests.answer(_parse(self._request, self._sent))
        except TimeoutError as error:
            self._protocol.set_exception(self._aiohttp.ServerTimeoutError(str(error)))
        except OSError:
            self._protocol.set_exception(self._aiohttp.ServerDisconnectedError())
        else:
            self._protocol.data_received(format_response(response))


def _connect_to_answers(aiohttp: Any, connector: Any, request: Any, requests: HttpRequests) -> Any:
    asked = Request(request.method, str(request.url))
    if requests.refuses(asked):
        try:
            requests.answer(asked)
        except OSError as error:
            raise aiohttp.ClientConnectorError(request.connection_key, error) from error
    protocol = connector._factory()
    protocol.connection_made(_Answers(aiohttp, request, protocol, requests))
    return protocol


def _parse(request: Any, sent: bytearray) -> Request:
    return parse_request(bytes(sent), request.url.scheme, request.url.authority)


def _is_complete(sent: bytearray) -> bool:
    head, ended, body = bytes(sent).partition(b"\r\n\r\n")
    headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    if b"transfer-encoding" in headers:
        return body.endswith(b"0\r\n\r\n")
    return bool(ended) and len(body) >= int(headers.get(b"content-length", 0))
