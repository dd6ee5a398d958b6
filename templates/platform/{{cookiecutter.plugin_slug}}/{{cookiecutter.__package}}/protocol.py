"""The IRC protocol: lines of at most 512 bytes, and a connection that confirms delivery."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from .settings import Settings

PATIENCE = 30.0
"""Seconds to wait for the server's welcome or the confirmation of a message."""


class Refused(Exception):
    """The server rejected the agent; retrying does not help."""


class Undeliverable(Exception):
    """The server does not deliver to that chat."""


class Line(NamedTuple):
    """A line from the server: sender, command and at least one argument."""

    nick: str
    command: str
    arguments: list[str]

    @classmethod
    def parse(cls, raw: bytes) -> Line:
        """Parse a line; invalid UTF-8 is replaced, because servers do not validate the texts of users."""
        text = raw.decode("utf-8", "replace").rstrip("\r\n")
        prefix, text = text[1:].partition(" ")[::2] if text.startswith(":") else ("", text)
        head, colon, trailing = text.partition(" :")
        command, *arguments = head.split() or [""]
        return cls(
            prefix.partition("!")[0], command.upper(), [*arguments, trailing] if colon or not arguments else arguments
        )


def split(text: str, room: int) -> Iterator[str]:
    """Split a text into lines of at most `room` bytes, between words if possible.

    The lines contain no characters that end a line, and no partial characters.
    """
    for line in re.split(r"[\0\1\r\n]+", text.encode("utf-8", "replace").decode()):
        while line.strip():
            piece = line.encode()[:room].decode("utf-8", "ignore")
            words = piece.rpartition(" ")[0]
            if len(piece) < len(line) and words.strip():
                piece = words
            yield piece
            line = line[len(piece) :].lstrip(" ")


class Connection:
    """A connection that the server has welcomed; `open` makes one.

    Attributes:
        nick: The nick of the agent on the server.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.nick = ""
        self._reader, self._writer = reader, writer
        self._turn = asyncio.Lock()
        self._tokens = itertools.count(1)
        self._token = ""
        self._confirmed: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, settings: Settings) -> Connection:
        """Connect and log in.

        Raises:
            Refused: The server rejects the agent.
            OSError: The server cannot be reached, or does not answer in time.
        """
        host, port = settings.address
        async with asyncio.timeout(PATIENCE):
            connection = cls(*await asyncio.open_connection(host, port, ssl=settings.tls or None))
            try:
                await connection._introduce(settings)
            except BaseException:
                await connection.close()
                raise
        return connection

    async def _introduce(self, settings: Settings) -> None:
        self.nick = settings.nick
        if settings.password:
            self._write(f"PASS :{settings.password}")
        self._write(f"NICK {self.nick}", f"USER {self.nick} 0 * :Hermes Agent")
        while line := await self.read():
            if line.command == "001":
                self.nick = line.arguments[0]
                self._write(*(f"JOIN {channel}" for channel in settings.channels))
                return
            if line.command == "433":
                self.nick += "_"
                self._write(f"NICK {self.nick}")
            elif line.command in ("432", "464", "465", "ERROR"):
                raise Refused(line.arguments[-1])
        raise ConnectionError("the server hung up before it welcomed us")

    async def read(self) -> Line | None:
        """Return the next line of the server, or None after it hung up; handle pings and confirmations.

        Raises:
            OSError: The connection broke, or the server did not send a line.
        """
        try:
            while raw := await self._reader.readline():
                line = Line.parse(raw)
                if line.command == "PING":
                    self._write(f"PONG :{' '.join(line.arguments)}")
                elif not self._confirms(line):
                    return line
        except ValueError as error:
            raise ConnectionError(f"no line of IRC: {error}") from error
        return None

    def _confirms(self, line: Line) -> bool:
        """Return whether a line confirms or rejects the last message."""
        if self._confirmed is None:
            return False
        if line.command == "PONG" and line.arguments[-1:] == [self._token]:
            self._settle(None)
        elif line.command in ("401", "402", "403", "404", "407", "411", "412", "413", "414", "477", "531"):
            self._settle(Undeliverable(line.arguments[-1]))
        else:
            return False
        return True

    def _settle(self, error: Exception | None) -> None:
        if self._confirmed is None or self._confirmed.done():
            return
        if error is None:
            self._confirmed.set_result(None)
        else:
            self._confirmed.set_exception(error)

    async def say(self, target: str, text: str) -> None:
        """Send one line of text, and wait until the server has confirmed it.

        IRC does not confirm messages, but a server answers a ping only after all earlier lines.

        Raises:
            Undeliverable: The server does not deliver to that target.
            OSError: The connection ended before the server answered; it may have delivered the line.
        """
        if not re.fullmatch(r"[^\s\0:,]+", target):
            raise Undeliverable(f"{target!r} is not a name on IRC")
        async with self._turn:
            self._token = f"hermes-{next(self._tokens)}"
            self._confirmed = asyncio.get_running_loop().create_future()
            try:
                self._write(f"PRIVMSG {target} :{text}", f"PING :{self._token}")
                async with asyncio.timeout(PATIENCE):
                    await self._confirmed
            finally:
                self._confirmed = None

    def _write(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\r\n" for line in lines).encode())

    async def close(self) -> None:
        """Close the connection; ignore errors, since the server may have closed it already."""
        self._settle(ConnectionError("the connection ended"))
        with contextlib.suppress(OSError, TimeoutError):
            self._write("QUIT")
            self._writer.close()
            async with asyncio.timeout(1):
                await self._writer.wait_closed()
