"""A TCP proxy on this machine that has every fault a network has."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

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
        """How many clients are connected."""
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
