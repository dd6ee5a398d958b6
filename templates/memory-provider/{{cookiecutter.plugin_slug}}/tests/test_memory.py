"""The memory, as the user and the model see it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hermes_sdk.testing import call

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

pytestmark = pytest.mark.hermes(config={"memory": {"provider": "{{ cookiecutter.plugin_slug }}"}})


def test_a_turn_is_recalled_in_the_next_session(hermes: Host) -> None:
    hermes.llm.script("Noted.", "On Tuesdays.")
    hermes.chat("We deploy on Tuesdays.")
    hermes.command("/new")

    hermes.chat("When do we deploy?")

    assert "- We deploy on Tuesdays.\nNoted." in hermes.llm.requests[1].user_text


def test_an_unrelated_turn_gets_no_memories(hermes: Host) -> None:
    hermes.llm.script("Noted.", "Hello.")
    hermes.chat("We deploy on Tuesdays.")

    hermes.chat("Hi!")

    assert "earlier conversations:" not in hermes.llm.requests[1].user_text


def test_the_model_saves_and_finds_a_note(hermes: Host) -> None:
    hermes.llm.script(
        call("{{ cookiecutter.__package }}_remember", note="The demo is on 2026-03-06."),
        "Noted.",
        call("{{ cookiecutter.__package }}_recall", words="demo"),
        "On the sixth.",
    )
    hermes.chat("Remember the demo.")

    turn = hermes.chat("And when is it?")

    assert "The demo is on 2026-03-06." in turn.tool_calls[0].result.json["found"]


@pytest.mark.parametrize("words", ["", "  ", None, 7])
def test_invalid_arguments_return_an_error(hermes: Host, words: object) -> None:
    hermes.llm.script(call("{{ cookiecutter.__package }}_recall", {"words": words}), "Sorry.")

    turn = hermes.chat("Look it up.")

    assert turn.tool_calls[0].result.error == "{{ cookiecutter.__package }}_recall needs at least one word."


def test_the_setup_limits_the_notes_per_turn(hermes: Host) -> None:
    config = Path(hermes.home, "plugin-data", "{{ cookiecutter.plugin_slug }}", "config.json")
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"limit": "1"}), encoding="utf-8")
    hermes.llm.script("one", "two", "three")
    hermes.chat("Apples are red.")
    hermes.chat("Apples are sweet.")
    hermes.chat("Tell me about apples.")

    assert hermes.llm.requests[2].user_text.count("\n- ") == 1
