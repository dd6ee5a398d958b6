"""The far end of a platform adapter: what a suite for platforms asks of the one that the adapter talks to."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Listener
from typing import Any, NamedTuple, cast

from hermes_sdk.testing.suites.proxy import FaultyProxy


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
        """How many connections the adapter has."""
        raise Lacking("connections")

    def deliver(self, chat: str, text: str) -> None:  # noqa: ARG002
        """Let the person write a text to the agent.

        Args:
            chat: One of `chats`.
            text: The text, on one line.
        """
        raise Lacking("deliver")

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
