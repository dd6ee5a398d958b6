"""Hermes's contract for platforms, one test per rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermes_sdk.testing import PlatformContract, PluginContract, Received, TcpTransport

from tests.network import Network, Person

PASSWORD = "a password that no log may show"


class Irc(TcpTransport):
    """The network that the adapter connects to, with two people, a channel and simulated faults."""

    limit = 512
    nowhere = "nobody"
    secrets = (PASSWORD,)

    def __init__(self) -> None:
        self._network = Network(PASSWORD)
        super().__init__("127.0.0.1", self._network.port)
        self._people = [Person(self._network, "ada", "#office"), Person(self._network, "bob", "#garden")]
        self.chats: Sequence[str] = ["ada", "bob", "#office"]
        self.environment: Mapping[str, str] = {
            "{{ cookiecutter.__package | upper }}_SERVER": "{}:{}".format(*self.address),
            "{{ cookiecutter.__package | upper }}_TLS": "off",
            "{{ cookiecutter.__package | upper }}_CHANNELS": "#office",
            "{{ cookiecutter.__package | upper }}_HOME_CHAT": "#office",
            "{{ cookiecutter.__package | upper }}_PASSWORD": PASSWORD,
        }

    @property
    def received(self) -> list[Received]:
        """The messages that people received."""
        return [one for person in self._people for one in person.read]

    def deliver(self, chat: str, text: str) -> None:
        """Write to the agent; in the channel, address it by name."""
        ada, bob = self._people
        if chat == "#office":
            ada.says(chat, f"hermes: {text}")
        else:
            (ada if chat == "ada" else bob).says("hermes", text)

    def echo(self, chat: str, text: str) -> None:
        """Send the agent its own message back, as servers with echo-message do."""
        self.inject(f":hermes!agent@localhost PRIVMSG {chat} :hermes: {text}\r\n".encode())

    def forbid(self) -> None:
        """Require another password from now on."""
        self._network.password = "another"

    def close(self) -> None:
        """Disconnect everybody."""
        super().close()
        for person in self._people:
            person.leave()
        self._network.close()


class TestPlatformContract(PlatformContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    transport = Irc


class TestPluginContract(PluginContract):
    """The general rules for plugins."""
