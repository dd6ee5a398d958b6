"""A minimal IRC network on this machine: a server and its users."""

from __future__ import annotations

import contextlib
import queue
import socket
import socketserver
import threading

from hermes_sdk.testing import Received

PATIENCE = 10.0


class Client(socketserver.StreamRequestHandler):
    """One connection to the server."""

    nick = password = ""
    channels: tuple[str, ...] = ()

    @property
    def network(self) -> Network:
        assert isinstance(self.server, Network)
        return self.server

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            for line in self.rfile:
                command, _, rest = line.decode("utf-8", "replace").rstrip("\r\n").partition(" ")
                with self.network.changed:
                    self.obey(command, rest)
                    self.network.changed.notify_all()

    def obey(self, command: str, rest: str) -> None:
        if command == "PASS":
            self.password = rest.removeprefix(":")
        elif command == "NICK":
            self.nick = rest
        elif command == "USER" and self.password != self.network.password:
            self.write(f":irc 464 {self.nick} :Password incorrect")
        elif command == "USER":
            self.network.clients.append(self)
            self.write(f":irc 001 {self.nick} :Welcome")
        elif command == "JOIN":
            self.channels += (rest,)
        elif command == "PING":
            self.write(f":irc PONG irc {rest}")
        elif command == "PRIVMSG":
            self.pass_on(*rest.split(" :", 1))

    def pass_on(self, target: str, text: str) -> None:
        readers = [one for one in self.network.clients if target in (one.nick, *one.channels) and one is not self]
        for reader in readers:
            reader.write(f":{self.nick}!user@host PRIVMSG {target} :{text}")
        if not readers:
            self.write(f":irc 401 {self.nick} {target} :No such nick or channel")

    def finish(self) -> None:
        with self.network.changed:
            self.network.clients = [one for one in self.network.clients if one is not self]

    def write(self, line: str) -> None:
        with contextlib.suppress(OSError):
            self.connection.sendall(f"{line}\r\n".encode())


class Network(socketserver.ThreadingTCPServer):
    """The server; call `close` to stop it."""

    daemon_threads = True

    def __init__(self, password: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Client)
        self.password = password
        self.clients: list[Client] = []
        self.changed = threading.Condition()
        self.port: int = self.socket.getsockname()[1]
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def wait_for(self, nick: str, channel: str) -> None:
        """Wait until somebody is in a channel."""
        with self.changed:
            here = self.changed.wait_for(
                lambda: any(one.nick == nick and channel in one.channels for one in self.clients), PATIENCE
            )
        assert here, f"{nick} did not join {channel}"

    def close(self) -> None:
        """End the server."""
        self.shutdown()
        self.server_close()


class Person:
    """Somebody on the network.

    Attributes:
        nick: Their name.
        read: Everything that they have read.
    """

    def __init__(self, network: Network, nick: str, channel: str = "") -> None:
        self.nick = nick
        self.read: list[Received] = []
        self._unread: queue.SimpleQueue[Received] = queue.SimpleQueue()
        self._socket = socket.create_connection(("127.0.0.1", network.port))
        self._write(f"PASS :{network.password}", f"NICK {nick}", f"USER {nick} 0 * :{nick}", f"JOIN {channel}")
        network.wait_for(nick, channel)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def says(self, target: str, text: str) -> None:
        """Send a message to a person or a channel."""
        self._write(f"PRIVMSG {target} :{text}")

    def reads(self) -> str:
        """Wait for the next message."""
        return self._unread.get(timeout=PATIENCE).text

    def leave(self) -> None:
        """Hang up."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _write(self, *lines: str) -> None:
        self._socket.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def _listen(self) -> None:
        with self._socket.makefile("rb") as lines:
            for line in lines:
                _, command, rest = line.decode("utf-8", "replace").rstrip("\r\n").split(" ", 2)
                if command == "PRIVMSG":
                    target, text = rest.split(" :", 1)
                    received = Received(target, text, len(line))
                    self.read.append(received)
                    self._unread.put(received)
