"""The suite for platforms and the IRC adapter of Hermes: results on both hosts."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from examples.irc_network import PASSWORD, IrcTransport

from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.testing import PlatformContract
from hermes_sdk.testing.suites.contract import run_rule_on_host
from hermes_sdk.testing.suites.rules.running import suite

RELEASE = "0.19.0"
TOLD = {
    "HS911": "its connect takes is_reconnect and nothing else",
    "HS917": "it waits 30 seconds for a welcome after 'Password incorrect'",
    "HS922": "a connect that is cancelled leaves the task that reads",
    "HS928": "half of a surrogate pair raises a UnicodeEncodeError",
    "HS929": "it does not wait for 'No such nick'",
    "HS930": "what it writes into a connection that is gone is a success",
}
"""Codes of the rules that the adapter breaks, with its behaviour."""


class ShippedTransport(IrcTransport):
    """IRC server with the adapter's settings for one channel."""

    def __init__(self) -> None:
        super().__init__()
        host, port = self.address
        self.chats = [self.room, self.ann.nick, self.bob.nick]
        self.environment = {
            "IRC_SERVER": host,
            "IRC_PORT": str(port),
            "IRC_USE_TLS": "false",
            "IRC_NICKNAME": self.agent,
            "IRC_CHANNEL": self.room,
            "IRC_SERVER_PASSWORD": PASSWORD,
            "IRC_ALLOW_ALL_USERS": "true",
        }


class Shipped(PlatformContract):
    plugin = "irc"
    platform = "irc"
    transport = ShippedTransport


# Connections that the adapter leaves open cause further warnings at garbage collection.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("kind", ["embedded", "real"])
def test_bundled_irc_adapter_gets_the_same_results_on_both_hosts(
    kind: HostKind, tmp_path: Path, real_python: Callable[[str], Path]
):
    packages = real_python(RELEASE).parent.parent.glob("lib/python*/site-packages")
    shutil.copytree(next(packages) / "plugins" / "platforms" / "irc", tmp_path / "irc")
    outcomes = {rule.code: run_rule_on_host(Shipped, rule, tmp_path, kind, RELEASE) for rule in suite("platform").RULES}
    gc.collect()
    told = {code: result["message"] for code, result in outcomes.items() if result["outcome"] == "broken"}
    assert list(told) == list(TOLD), told
    assert {code for code, result in outcomes.items() if result["outcome"] == "not applicable"} <= {"HS932"}
