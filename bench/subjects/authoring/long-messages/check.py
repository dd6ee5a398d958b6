import pytest
from tests.network import Network, Person


@pytest.fixture
def ada(monkeypatch):
    network = Network()
    monkeypatch.setenv("TEAM_CHAT_SERVER", f"127.0.0.1:{network.port}")
    monkeypatch.setenv("TEAM_CHAT_TLS", "off")
    monkeypatch.setenv("TEAM_CHAT_CHANNELS", "#office")
    monkeypatch.setenv("TEAM_CHAT_HOME_CHAT", "#office")
    person = Person(network, "ada", "#office")
    yield person
    person.leave()
    network.close()


def test_a_long_answer_arrives_whole(ada, hermes_gateway):
    words = [f"word{number}" for number in range(200)]
    hermes_gateway.llm.script(" ".join(words))
    ada.says("hermes", "Count.")
    read = []
    while len(read) < len(words):
        read += ada.reads().split()
    assert read == words
