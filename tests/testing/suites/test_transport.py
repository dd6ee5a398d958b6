"""The far end of a platform: its faults, and what a suite says of a transport that lacks something."""

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
    """What a rule says with a transport."""
    settings = {"transport": transport} | ({"environment": {}} if transport else {})
    result = run_rule_on_host(type("Suite", (Pigeon,), settings), RULES[code], ROOT, "embedded", "0.19.0")
    return result["outcome"], result["message"]


def test_without_a_transport_one_rule_fails_and_the_others_about_a_connection_are_skipped():
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
def test_a_rule_that_needs_what_a_transport_lacks_is_skipped_and_names_it(name: str, code: str):
    assert outcome(_lacking(name), code) == ("not applicable", f"the transport of the suite has no {name}")


@pytest.mark.parametrize(
    ("facts", "code", "reason"),
    [
        ({"chats": ()}, "HS924", "the suite's transport has no chats"),
        ({"chats": ("mia",)}, "HS926", "the suite's transport has only one chat"),
        ({"nowhere": ""}, "HS929", "the transport of the suite has no nowhere"),
    ],
)
def test_a_rule_that_needs_a_fact_is_skipped_and_names_it(facts: dict[str, object], code: str, reason: str):
    assert outcome(type("Poor", (PigeonTransport,), facts), code) == ("not applicable", reason)


def test_an_error_of_the_transport_is_told_as_one():
    def deliver(self: PigeonTransport, chat: str, text: str) -> None:
        raise KeyError(chat)

    broken, message = outcome(type("Poor", (PigeonTransport,), {"deliver": deliver}), "HS935")
    assert broken == "broken"
    assert "the transport of the suite failed in deliver: KeyError: 'mia'" in message


class Echo(socketserver.StreamRequestHandler):
    """Says everything twice."""

    server: Echoes

    def handle(self) -> None:
        for line in self.rfile:
            self.server.heard.append(line)
            self.wfile.write(line + line)


class Echoes(socketserver.ThreadingTCPServer):
    """A server of such handlers."""

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


def connected(transport: TcpTransport) -> socket.socket:
    return socket.create_connection(transport.address, timeout=10)


def test_what_is_sent_gets_there_and_back(transport: TcpTransport):
    with connected(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").readline() == b"a\n"
        assert transport.connections == 1


def test_refused_connections_are_cut_and_new_ones_refused_until_they_are_accepted_again(transport: TcpTransport):
    with connected(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").read(4) == b"a\na\n"
        transport.refuse()
        assert client.recv(1) == b""
    assert transport.connections == 0
    with pytest.raises(ConnectionRefusedError):
        connected(transport)
    transport.accept()
    test_what_is_sent_gets_there_and_back(transport)


def test_a_dropped_connection_can_be_made_again(transport: TcpTransport):
    with connected(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").read(4) == b"a\na\n"
        transport.drop()
        assert client.recv(1) == b""
    test_what_is_sent_gets_there_and_back(transport)


def test_a_server_that_hangs_takes_connections_and_answers_nothing(transport: TcpTransport, echoes: Echoes):
    transport.hang()
    with connected(transport) as client:
        client.sendall(b"a\n")
        client.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.recv(1)
    assert echoes.heard == []


def test_what_was_sent_arrives_although_the_answer_is_lost(transport: TcpTransport, echoes: Echoes):
    transport.lose_answers()
    with connected(transport) as client:
        client.sendall(b"a\n")
        assert client.recv(1) == b""
    assert echoes.heard == [b"a\n"]


def test_what_the_server_did_not_say_can_be_said_for_it(transport: TcpTransport):
    with connected(transport) as client:
        client.sendall(b"a\n")
        assert client.makefile("rb").read(4) == b"a\na\n"
        transport.inject(b"b\n")
        assert client.makefile("rb").readline() == b"b\n"
