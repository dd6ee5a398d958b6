"""Transports: simulated faults, and messages of suites about missing methods."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest
from examples.pigeon_service import PigeonTransport

from hermes_sdk.testing import PlatformContract, TcpTransport, Transport
from hermes_sdk.testing.suites.contract import run_rule_on_host
from hermes_sdk.testing.suites.rules.running import suite

ROOT = Path(__file__).parents[3]
RULES = {rule.code: rule for rule in suite("platform").RULES}


class Pigeon(PlatformContract):
    plugin = "tests/examples/pigeon"
    environment: ClassVar = {"PIGEON_URL": "http://127.0.0.1:9", "PIGEON_TOKEN": "none"}


def outcome(transport: type[Transport] | None, code: str) -> tuple[str, str]:
    """Return the result of a rule with a transport."""
    settings = {"transport": transport} | ({"environment": {}} if transport else {})
    result = run_rule_on_host(type("Suite", (Pigeon,), settings), RULES[code], ROOT, "embedded", "0.19.0")
    return result["outcome"], result["message"]


def test_missing_transport_fails_one_rule_and_skips_other_connection_rules():
    outcomes = {code: outcome(None, code) for code in RULES}
    broken = {code: why for code, (what, why) in outcomes.items() if what == "broken"}
    assert broken == {"HS943": "neither sending nor receiving can be tested: the suite has no transport"}
    assert {code for code, (what, _) in outcomes.items() if what == "holds"} == {
        *(f"HS9{number:02}" for number in range(1, 13)),
        "HS953",
    }
    skipped = {why for what, why in outcomes.values() if what == "not applicable"}
    assert skipped == {"the suite has no transport", "it has no standalone_sender_fn"}


def _lacking(name: str) -> type[Transport]:
    return type("Poor", (PigeonTransport,), {name: getattr(Transport, name)})


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *(("received", "HS924"), ("deliver", "HS935"), ("forbid", "HS917"), ("refuse", "HS918"), ("accept", "HS916")),
        *(("hang", "HS922"), ("lose_answers", "HS931"), ("rubbish", "HS938"), ("connections", "HS919")),
    ],
)
def test_rule_is_skipped_and_names_the_missing_transport_method(name: str, code: str):
    assert outcome(_lacking(name), code) == ("not applicable", f"the transport of the suite does not define {name}")


@pytest.mark.parametrize(
    ("facts", "code", "reason"),
    [
        ({"chats": ()}, "HS924", "the suite's transport has no chats"),
        ({"chats": ("mia",)}, "HS926", "the suite's transport has only one chat"),
        ({"nowhere": ""}, "HS929", "the transport of the suite does not set `nowhere`"),
    ],
)
def test_rule_is_skipped_and_names_the_missing_transport_attribute(facts: dict[str, object], code: str, reason: str):
    assert outcome(type("Poor", (PigeonTransport,), facts), code) == ("not applicable", reason)


def test_error_in_the_transport_is_attributed_to_the_transport():
    def deliver(self: PigeonTransport, chat: str, text: str) -> None:
        raise KeyError(chat)

    broken, message = outcome(type("Poor", (PigeonTransport,), {"deliver": deliver}), "HS935")
    assert broken == "broken"
    assert "the transport of the suite failed in deliver: KeyError: 'mia'" in message


class Echo(socketserver.StreamRequestHandler):
    """Handler that repeats each line."""

    server: Echoes

    def handle(self) -> None:
        for line in self.rfile:
            self.server.heard.append(line)
            self.wfile.write(line + line)


class Echoes(socketserver.ThreadingTCPServer):
    """Server that repeats each line that it receives."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Echo)
        self.heard: list[bytes] = []


@pytest.fixture
def echoes() -> Iterator[Echoes]:
    with Echoes() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def transport(echoes: Echoes) -> Iterator[TcpTransport]:
    with closing(TcpTransport("127.0.0.1", echoes.server_address[1])) as made:
        yield made


def connect(transport: TcpTransport) -> socket.socket:
    return socket.create_connection(transport.address, timeout=10)


def test_proxy_forwards_data_in_both_directions(transport: TcpTransport):
    with connect(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").readline() == b"a\n"
        assert transport.connections == 1


def test_refuse_closes_connections_until_accept(transport: TcpTransport):
    with connect(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").read(4) == b"a\na\n"
        transport.refuse()
        assert client.recv(1) == b""
    assert transport.connections == 0
    with pytest.raises(ConnectionRefusedError):
        connect(transport)
    transport.accept()
    test_proxy_forwards_data_in_both_directions(transport)


def test_dropped_connection_can_be_reestablished(transport: TcpTransport):
    with connect(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").read(4) == b"a\na\n"
        transport.drop()
        assert client.recv(1) == b""
    test_proxy_forwards_data_in_both_directions(transport)


def test_hang_accepts_connections_without_answers(transport: TcpTransport, echoes: Echoes):
    transport.hang()
    with connect(transport) as client:
        client.sendall(b"a\n")
        client.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.recv(1)
    assert echoes.heard == []


def test_lost_answer_does_not_lose_the_message(transport: TcpTransport, echoes: Echoes):
    transport.lose_answers()
    with connect(transport) as client:
        client.sendall(b"a\n")
        assert client.recv(1) == b""
    assert echoes.heard == [b"a\n"]


def test_inject_sends_data_to_clients(transport: TcpTransport):
    with connect(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").read(4) == b"a\na\n"
        transport.inject(b"b\n")
        assert client.makefile("rb").readline() == b"b\n"
