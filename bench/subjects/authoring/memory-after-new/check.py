import pytest

pytestmark = pytest.mark.hermes(config={"memory": {"provider": "team-memory"}})


def test_turns_of_earlier_session_are_found(hermes):
    hermes.llm.script("Noted.", "On Tuesdays.")
    hermes.chat("We deploy on Tuesdays.")
    hermes.command("/new")
    hermes.chat("When do we deploy?")
    assert "We deploy on Tuesdays." in hermes.llm.requests[1].user_text


def test_turns_of_new_session_are_remembered(hermes):
    hermes.command("/new")
    hermes.llm.script("Noted.", "In Oslo.")
    hermes.chat("The office is in Oslo.")
    hermes.command("/new")
    hermes.chat("Where is the office?")
    assert "The office is in Oslo." in hermes.llm.requests[1].user_text
