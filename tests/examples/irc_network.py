"""IRC network on this machine for the platform suite: a server and people."""

from __future__ import annotations

import functools
import itertools
import socket
import threading
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence

import miniircd

from hermes_sdk.testing import Received, TcpTransport

PASSWORD = "hunter2-of-the-server"
PATIENCE = 10.0
_numbers = itertools.count(1)
_NOT_ASKED_FOR = ("cloak", "channel_log_dir", "chroot", "log_file", "motd", "password_file", "setuid", "state_dir")
_NOT_ASKED_FOR += ("ssl_cert_file", "ssl_key_file")


class Server:
    """IRC server that requires a password, and runs until the process ends."""

    def __init__(self) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = listening.getsockname()[1]
        off = dict.fromkeys(("debug", "ipv6", "verbose"), False)
        sizes = {"log_max_size": 1, "log_count": 1}
        options = Namespace(password=PASSWORD, listen="127.0.0.1", **off, **sizes, **dict.fromkeys(_NOT_ASKED_FOR))
        self._server = miniircd.Server(options, [])
        threading.Thread(target=self._server.run, args=([listening],), daemon=True).start()

    def require_password(self, password: str) -> None:
        """Require a password from all later connections."""
        self._server.password = password


server = functools.cache(Server)


class Person:
    """A person with an IRC client.

    Attributes:
        nick: The nickname.
        read: The received messages, with target, text, and length of the line in bytes.
        met: The nicknames that joined a channel, once per join.
    """

    def __init__(self, nick: str, *channels: str) -> None:
        self.nick = nick
        self.read: list[Received] = []
        self.met: list[str] = []
        self._introduced = False
        self._news = threading.Condition()
        self._socket = socket.create_connection(("127.0.0.1", server().port))
        self._file = self._socket.makefile("rb")
        self._write(f"PASS {PASSWORD}", f"NICK {nick}", f"USER {nick} 0 * :{nick}")
        self._write(*(f"JOIN {one}" for one in channels), "PING :introduced")
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self._wait(lambda: self._introduced, "gets in")

    def say(self, target: str, text: str) -> None:
        """Send a message to a person or a channel."""
        self._write(f"PRIVMSG {target} :{text}")

    def reads(self, text: str) -> Received:
        """Wait for a message that contains a text."""
        self._wait(lambda: any(text in one.text for one in self.read), f"reads {text!r}")
        return next(one for one in self.read if text in one.text)

    def meets(self, nick: str, times: int) -> None:
        """Wait until a person has joined a channel a number of times."""
        self._wait(lambda: self.met.count(nick) >= times, f"meets {nick} {times} times")

    def leave(self) -> None:
        """Quit, and wait until the server closes the connection."""
        self._write("QUIT")
        self._thread.join(PATIENCE)
        self._file.close()
        self._socket.close()

    def _wait(self, what: Callable[[], bool], told: str) -> None:
        with self._news:
            assert self._news.wait_for(what, PATIENCE), f"{self.nick} never {told}: read {self.read}, met {self.met}"

    def _write(self, *lines: str) -> None:
        self._socket.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def _listen(self) -> None:
        for line in self._file:
            sender, command, *rest = line.rstrip(b"\r\n").decode("utf-8", "replace").split(" ", 3)
            with self._news:
                if command == "JOIN":
                    self.met.append(sender[1:].partition("!")[0])
                elif command == "PRIVMSG":
                    self.read.append(Received(rest[0], rest[1][1:], len(line)))
                elif command == "PONG":
                    self._introduced = True
                self._news.notify_all()


class IrcTransport(TcpTransport):
    """Transport to an agent, with two people in private chats, and a channel with one of them.

    Attributes:
        agent: The name of the agent.
        room: The channel where Ann and the agent are.
        ann: A person in the channel.
        bob: A person outside of the channel.
    """

    limit = 512
    nowhere = "nobody"

    def __init__(self) -> None:
        super().__init__("127.0.0.1", server().port)
        number = next(_numbers)
        self.agent, self.room = f"hermes{number}", f"#room{number}"
        self.ann, self.bob = Person(f"ann{number}", self.room), Person(f"bob{number}")
        self._people = [self.ann, self.bob]
        self.chats: Sequence[str] = [self.ann.nick, self.bob.nick, self.room]
        self.environment: Mapping[str, str] = {
            "PLAIN_IRC_SERVER": "{}:{}".format(*self.address),
            "PLAIN_IRC_TLS": "off",
            "PLAIN_IRC_NICK": self.agent,
            "PLAIN_IRC_CHANNELS": self.room,
            "PLAIN_IRC_PASSWORD": PASSWORD,
        }

    @property
    def received(self) -> list[Received]:
        """Return the messages that both people have received."""
        return [one for person in self._people for one in person.read]

    def deliver(self, chat: str, text: str) -> None:
        """Send a message to the agent; in the channel, it begins with the agent's name."""
        writer = next((one for one in self._people if one.nick == chat), None)
        if writer:
            writer.say(self.agent, text)
        else:
            self.ann.meets(self.agent, times=1)
            self.ann.say(self.room, f"{self.agent}: {text}")

    def echo(self, chat: str, text: str) -> None:
        """Send the agent its own message, as servers with echo-message do."""
        self.inject(f":{self.agent}!agent@localhost PRIVMSG {chat} :{self.agent}: {text}\r\n".encode())

    def forbid(self) -> None:
        """Require another password."""
        server().require_password("another")

    def accept(self) -> None:
        """Accept the agent's password again."""
        server().require_password(PASSWORD)
        super().accept()

    def close(self) -> None:
        """Disconnect all people."""
        super().close()
        server().require_password(PASSWORD)
        for person in self._people:
            person.leave()
