"""People talk over IRC to an agent in a gateway, embedded or real (`--hermes-host real`)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from examples.irc_network import IrcTransport
from examples.irc_plugin import plain_irc

from hermes_sdk.hosts.interface import Gateway
from hermes_sdk.testing import say

pytestmark = pytest.mark.hermes(plugin=str(plain_irc()))


@pytest.fixture
def irc(monkeypatch: pytest.MonkeyPatch) -> Iterator[IrcTransport]:
    """Return the network; it precedes the gateway, whose environment has its address."""
    network = IrcTransport()
    for name, value in network.environment.items():
        monkeypatch.setenv(name, value)
    yield network
    network.close()


@pytest.fixture
def gateway(irc: IrcTransport, hermes_gateway: Gateway) -> Gateway:
    """Return a gateway that is connected to the network."""
    return hermes_gateway


def test_agent_answers_private_message(irc: IrcTransport, gateway: Gateway):
    gateway.llm.script(say("Noon."))
    irc.ann.say(irc.agent, "When is lunch?")
    assert irc.ann.reads("Noon.").chat == irc.ann.nick


def test_agent_answers_in_channel_only_when_addressed(irc: IrcTransport, gateway: Gateway):
    gateway.llm.script(say("Noon."))
    irc.ann.meets(irc.agent, times=1)
    irc.ann.say(irc.room, "I am hungry.")
    irc.ann.say(irc.room, f"{irc.agent}: when is lunch?")
    assert irc.ann.reads("Noon.").chat == irc.room
    asked = [str(one.messages) for one in gateway.llm.requests]
    assert len(asked) == 1
    assert "hungry" not in asked[0]


def test_long_answer_is_split_into_lines(irc: IrcTransport, gateway: Gateway):
    words = [f"word{number}" for number in range(200)]
    gateway.llm.script(say(" ".join(words)))
    irc.bob.say(irc.agent, "Tell me a story.")
    irc.bob.reads("word199")
    lines = [one for one in irc.bob.read if "word" in one.text]
    assert " ".join(one.text for one in lines).split() == words
    assert len(lines) > 1
    assert max(one.size for one in lines) <= 512


def test_each_person_has_their_own_session(irc: IrcTransport, gateway: Gateway):
    gateway.llm.script(say("one"), say("two"))
    irc.ann.say(irc.agent, "I am Ann.")
    irc.ann.reads("one")
    irc.bob.say(irc.agent, "Who am I?")
    irc.bob.reads("two")
    assert "Ann" not in str(gateway.llm.requests[-1].messages[1:])


def test_stranger_gets_no_answer(irc: IrcTransport, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    monkeypatch.setenv("PLAIN_IRC_ALLOWED_USERS", irc.ann.nick)
    gateway: Gateway = request.getfixturevalue("hermes_gateway")
    gateway.llm.script(say("Only for you."))
    irc.bob.say(irc.agent, "Hello?")
    irc.bob.reads("pairing code")
    irc.ann.say(irc.agent, "Hello?")
    irc.ann.reads("Only for you.")


def test_agent_answers_again_after_outage(irc: IrcTransport, gateway: Gateway):
    gateway.llm.script(say("Here I am."))
    irc.drop()
    irc.ann.meets(irc.agent, times=2)
    irc.ann.say(irc.agent, "Are you there?")
    irc.ann.reads("Here I am.")


@pytest.mark.slow
@pytest.mark.real_host
def test_conversations_pass_on_real_gateway(real_python: Callable[[str], object]):
    real_python("0.19.0")
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:xdist",
        "-m",
        "not slow",
        "--hermes-host",
        "real",
        "--hermes-release",
        "0.19.0",
        __file__,
    )
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stdout
