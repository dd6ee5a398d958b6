"""The hooks, fired the way Hermes fires them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_notes_come_back_when_a_session_starts(hermes: Host) -> None:
    hermes.call_tool("{{ cookiecutter.__package }}_add", note="The demo is on 2026-03-06.")

    (answer,) = hermes.fire("pre_llm_call", is_first_turn=True)

    assert answer["context"].splitlines()[1:] == ["- The demo is on 2026-03-06."]


def test_nothing_is_added_later_in_the_session(hermes: Host) -> None:
    hermes.call_tool("{{ cookiecutter.__package }}_add", note="The demo is on 2026-03-06.")

    assert hermes.fire("pre_llm_call", is_first_turn=False) == []


def test_nothing_is_added_without_notes(hermes: Host) -> None:
    assert hermes.fire("pre_llm_call", is_first_turn=True) == []
