"""The far end of a platform adapter: what a suite for platforms asks of it, and a TCP proxy with every fault."""

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
    """Passes what a client sends to a server, and the other way round, until it is told not to.

    Args:
        host: Where the server is.
        port: Its port.

    Attributes:
        address: Where the client connects to instead.
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
        self._do(self._listen)

    def _do(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(10)

    @property
    def connections(self) -> int:
        """Return how many clients are connected."""
        return len(self._clients)

    def accept(self) -> None:
        """Be an honest proxy again."""
        self._hangs = self._loses = False
        self._do(self._listen)

    def refuse(self) -> None:
        """Cut all connections, and refuse new ones."""
        self._do(self._refuse)

    def drop(self) -> None:
        """Cut all connections."""
        self._do(self._cut)

    def hang(self) -> None:
        """Take new connections, and pass nothing on."""
        self._hangs = True

    def lose_answers(self) -> None:
        """Pass on what clients send; where the server answers, cut the connection instead."""
        self._loses = True

    def inject(self, data: bytes) -> None:
        """Send something to all clients that the server did not say."""

        async def write() -> None:
            for client in self._clients:
                client.write(data)

        self._do(write)

    def close(self) -> None:
        """Cut everything and end."""
        self._do(self._refuse)
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
        await self._cut()

    async def _cut(self) -> None:
        tasks = list(self._clients.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # What was closed ends in the next round of the loop.

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._listening is None:  # It came in at the last moment.
            client.close()
            return
        self._clients[client] = task
        server: asyncio.StreamWriter | None = None
        try:
            while self._hangs and await reader.read(65536):
                pass
            answers, server = await asyncio.open_connection(*self._server)
            both = [asyncio.ensure_future(one) for one in (_pass(reader, server), self._answer(answers, client))]
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in both:
                    one.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # Whatever ends it ends both sides.
        finally:
            del self._clients[client]
            for writer in filter(None, (client, server)):
                writer.close()

    async def _answer(self, answers: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while (data := await answers.read(65536)) and not self._loses:
            client.write(data)
            await client.drain()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


class Lacking(Exception):
    """A transport cannot do that; rules that need it are skipped."""


class Received(NamedTuple):
    """One message as it arrived.

    Attributes:
        chat: The chat that it went to.
        text: What arrived of the text.
        size: How long it is as the platform counts, where it has a limit.
    """

    chat: str
    text: str
    size: int = 0


class Transport:
    """A server, real or fake, that the adapter under test connects to, with a person who writes and reads there.

    A suite makes one for each rule and closes it afterwards. It lives in the process of the tests; the adapter may be
    in another one. Rules that need a method which a subclass lacks are skipped, and say so.

    Attributes:
        environment: Variables by which the adapter finds the server, and everything else that it has to be told.
        chats: Ids of chats where the person is; two or more to hold the rule about chats side by side.
        nowhere: The id of a chat that does not exist.
        secrets: Texts that no log may show, besides variables that are called a key, password, secret or token.
        limit: How long one message may be at most, as `Received.size` counts; 0 for no limit.
    """

    environment: Mapping[str, str] = {}
    chats: Sequence[str] = ()
    nowhere: str = ""
    secrets: Sequence[str] = ()
    limit: int = 0

    @property
    def received(self) -> Sequence[Received]:
        """The messages that arrived, in their order."""
        raise Lacking("received")

    @property
    def connections(self) -> int:
        """Return how many connections the adapter has."""
        raise Lacking("connections")

    def deliver(self, chat: str, text: str) -> None:  # noqa: ARG002
        """Let the person write a text to the agent.

        Args:
            chat: One of `chats`.
            text: The text, on one line.
        """
        raise Lacking("deliver")

    def echo(self, chat: str, text: str) -> None:  # noqa: ARG002
        """Show the agent a message that it wrote itself, if the service does that.

        Args:
            chat: One of `chats`.
            text: The text, on one line.
        """
        raise Lacking("echo")

    def refuse(self) -> None:
        """Cut all connections, and refuse new ones."""
        raise Lacking("refuse")

    def hang(self) -> None:
        """Take new connections, and answer nothing."""
        raise Lacking("hang")

    def lose_answers(self) -> None:
        """Take messages, but cut the connection instead of an answer."""
        raise Lacking("lose_answers")

    def accept(self) -> None:
        """End `refuse`, `hang` and `lose_answers`."""
        raise Lacking("accept")

    def forbid(self) -> None:
        """Refuse the credentials from now on."""
        raise Lacking("forbid")

    def rubbish(self) -> None:
        """Send bytes that are not a valid answer on open connections."""
        raise Lacking("rubbish")

    def close(self) -> None:
        """End the server."""


class TcpTransport(FaultyProxy, Transport):
    """A transport for everything that runs over TCP, HTTP included: a proxy before the server, which has the faults.

    What remains to be said: `environment` with `address` in it, `chats`, `received` and `deliver`.

    Args:
        host: Where the server is.
        port: Its port.

    Attributes:
        address: The host and the port that the adapter connects to.
    """

    def rubbish(self) -> None:
        """Send bytes that are not text, and a line that makes no sense and does not end for long."""
        self.inject(b"\xff\xfe\x00 \r\n\r\n:\r\n: :\r\n" + b"x" * 100_000 + b"\r\n")


class Served:
    """Offers a transport to the process of the host; a context manager.

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
        # A rule that is held without the transport never connects.
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
