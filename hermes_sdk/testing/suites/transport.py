"""Server side of a platform adapter: the interface for platform suites, and a TCP proxy that simulates faults."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Listener
from typing import Any, NamedTuple, TypeVar, cast

_T = TypeVar("_T")


class FaultyProxy:
    """TCP proxy between clients and a server, which simulates faults on request.

    Args:
        host: Host of the server.
        port: Port of the server.

    Attributes:
        address: Host and port of the proxy, for the client.
    """

    def __init__(self, host: str, port: int) -> None:
        self._server = host, port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="faulty proxy", daemon=True)
        self._thread.start()
        self._clients: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._hangs = self._loses = False
        self._listening: asyncio.Server | None = None
        self.address: tuple[str, int] = ("127.0.0.1", 0)
        self._run_in_loop(self._listen)

    def _run_in_loop(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(10)

    @property
    def connections(self) -> int:
        """Number of connected clients."""
        return len(self._clients)

    def accept(self) -> None:
        """End all faults."""
        self._hangs = self._loses = False
        self._run_in_loop(self._listen)

    def refuse(self) -> None:
        """Close all connections and refuse new ones."""
        self._run_in_loop(self._refuse)

    def drop(self) -> None:
        """Close all connections."""
        self._run_in_loop(self._close_connections)

    def hang(self) -> None:
        """Accept new connections without forwarding anything."""
        self._hangs = True

    def lose_answers(self) -> None:
        """Forward data of clients, but close the connection instead of forwarding an answer."""
        self._loses = True

    def inject(self, data: bytes) -> None:
        """Send data to all clients in the name of the server."""

        async def write() -> None:
            for client in self._clients:
                client.write(data)

        self._run_in_loop(write)

    def close(self) -> None:
        """Close all connections and stop."""
        self._run_in_loop(self._refuse)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _listen(self) -> None:
        if self._listening is None:
            host, port = self.address
            self._listening = await asyncio.start_server(self._serve, host, port)
            self.address = self._listening.sockets[0].getsockname()

    async def _refuse(self) -> None:
        if self._listening is not None:
            self._listening.close()
            self._listening = None
        await self._close_connections()

    async def _close_connections(self) -> None:
        tasks = list(self._clients.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # Closed connections end in the next iteration of the loop.

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._listening is None:  # The connection was accepted just before the proxy stopped listening.
            client.close()
            return
        self._clients[client] = task
        server: asyncio.StreamWriter | None = None
        try:
            while self._hangs and await reader.read(65536):
                pass
            answers, server = await asyncio.open_connection(*self._server)
            both = [asyncio.ensure_future(one) for one in (_forward(reader, server), self._answer(answers, client))]
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in both:
                    one.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # An error on one side closes both.
        finally:
            del self._clients[client]
            for writer in filter(None, (client, server)):
                writer.close()

    async def _answer(self, answers: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while (data := await answers.read(65536)) and not self._loses:
            client.write(data)
            await client.drain()


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


class Lacking(Exception):
    """A transport lacks a method; rules that need it are skipped."""


class Received(NamedTuple):
    """A message that arrived at the transport.

    Attributes:
        chat: Id of the chat.
        text: The received text.
        size: Length of the message in the platform's unit, if it has a limit.
    """

    chat: str
    text: str
    size: int = 0


class Transport:
    """A real or fake server that the adapter under test connects to, and a person who uses it.

    A suite creates one for each rule and closes it afterwards. It runs in the process of the tests; the adapter may run
    in another process. Rules that need a method which a subclass does not override are skipped.

    Attributes:
        environment: Environment variables for the adapter, such as the address of the server.
        chats: Ids of the person's chats; the rule about concurrent chats needs two or more.
        nowhere: Id of a chat that does not exist.
        secrets: Texts that must not be logged, in addition to variables named a key, password, secret or token.
        limit: Maximum length of a message, in the unit of `Received.size`; 0 for no limit.
    """

    environment: Mapping[str, str] = {}
    chats: Sequence[str] = ()
    nowhere: str = ""
    secrets: Sequence[str] = ()
    limit: int = 0

    @property
    def received(self) -> Sequence[Received]:
        """The received messages, in order."""
        raise Lacking("received")

    @property
    def connections(self) -> int:
        """Number of open connections of the adapter."""
        raise Lacking("connections")

    def deliver(self, chat: str, text: str) -> None:  # noqa: ARG002
        """Send a message of the person to the agent.

        Args:
            chat: One of `chats`.
            text: The text, on one line.
        """
        raise Lacking("deliver")

    def echo(self, chat: str, text: str) -> None:  # noqa: ARG002
        """Send the agent one of its own messages, if the service does that.

        Args:
            chat: One of `chats`.
            text: The text, on one line.
        """
        raise Lacking("echo")

    def refuse(self) -> None:
        """Close all connections and refuse new ones."""
        raise Lacking("refuse")

    def hang(self) -> None:
        """Accept new connections without answering."""
        raise Lacking("hang")

    def lose_answers(self) -> None:
        """Accept messages, but close the connection instead of answering."""
        raise Lacking("lose_answers")

    def accept(self) -> None:
        """End `refuse`, `hang` and `lose_answers`."""
        raise Lacking("accept")

    def forbid(self) -> None:
        """Reject the credentials from now on."""
        raise Lacking("forbid")

    def rubbish(self) -> None:
        """Send invalid data on open connections."""
        raise Lacking("rubbish")

    def close(self) -> None:
        """Stop the server."""


class TcpTransport(FaultyProxy, Transport):
    """Transport for protocols over TCP, including HTTP: a proxy before the server simulates the faults.

    A subclass must define `environment` with `address` in it, `chats`, `received` and `deliver`.

    Args:
        host: Host of the server.
        port: Port of the server.

    Attributes:
        address: Host and port of the proxy, for the adapter.
    """

    def rubbish(self) -> None:
        """Send bytes that are not text and a long, meaningless line."""
        self.inject(b"\xff\xfe\x00 \r\n\r\n:\r\n: :\r\n" + b"x" * 100_000 + b"\r\n")


class Served:
    """Context manager that serves a transport to the process of the host.

    Args:
        transport: The transport.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        key = secrets.token_bytes(16)
        self._listener = Listener(("127.0.0.1", 0), authkey=key)
        self._address = cast("tuple[str, int]", self._listener.address)
        self.settings: dict[str, Any] = {"address": list(self._address), "key": key.hex()}
        self._thread = threading.Thread(target=self._serve, name="transport", daemon=True)

    def __enter__(self) -> Served:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # A rule that does not use the transport never connects.
        with contextlib.suppress(OSError):
            socket.create_connection(self._address).close()
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        try:
            with self._listener.accept() as connection:
                while True:
                    connection.send(self._answer(*connection.recv()))
        except (AuthenticationError, EOFError, OSError):
            return

    def _answer(self, name: str, arguments: Sequence[Any]) -> tuple[str, Any]:
        try:
            found = getattr(self._transport, name)
            value: Any = found(*arguments) if callable(found) else found
        except Lacking as lacking:
            return "lacks", str(lacking)
        except Exception as error:
            return "failed", f"{type(error).__name__}: {error}"
        return "answered", [tuple(one) for one in value] if name == "received" else value
