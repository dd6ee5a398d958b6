"""An IRC network for each test, which the platform finds through its environment variables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.network import Network, Person


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    """An IRC network on this machine, with the channel #office."""
    network = Network()
    monkeypatch.setenv("{{ cookiecutter.__package | upper }}_SERVER", f"127.0.0.1:{network.port}")
    monkeypatch.setenv("{{ cookiecutter.__package | upper }}_TLS", "off")
    monkeypatch.setenv("{{ cookiecutter.__package | upper }}_CHANNELS", "#office")
    monkeypatch.setenv("{{ cookiecutter.__package | upper }}_HOME_CHAT", "#office")
    yield network
    network.close()


@pytest.fixture
def ada(network: Network) -> Iterator[Person]:
    """A person in the channel."""
    person = Person(network, "ada", "#office")
    yield person
    person.leave()
