"""The slash command and the CLI command, as a person types them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


@pytest.fixture
def noted(hermes: Host) -> Host:
    """A Hermes with two notes."""
    hermes.call_tool("{{ cookiecutter.__package }}_add", note="The demo is on 2026-03-06.")
    hermes.call_tool("{{ cookiecutter.__package }}_add", note="Ada prefers tea.")
    return hermes


def test_the_slash_command_shows_the_notes(noted: Host) -> None:
    assert noted.command("/{{ cookiecutter.plugin_slug }}") == "1. The demo is on 2026-03-06.\n2. Ada prefers tea."


def test_the_slash_command_finds_a_word(noted: Host) -> None:
    assert noted.command("/{{ cookiecutter.plugin_slug }} TEA") == "1. Ada prefers tea."
    assert noted.command("/{{ cookiecutter.plugin_slug }} coffee") == "No note contains 'coffee'."


def test_the_slash_command_says_when_there_is_nothing(hermes: Host) -> None:
    assert hermes.command("/{{ cookiecutter.plugin_slug }}") == "No notes yet. Ask Hermes to remember something."


def test_the_cli_command_finds_a_word(noted: Host) -> None:
    assert noted.cli("{{ cookiecutter.plugin_slug }}", "demo").stdout == "1. The demo is on 2026-03-06.\n"


def test_the_cli_command_clears_the_notes(noted: Host) -> None:
    assert noted.cli("{{ cookiecutter.plugin_slug }}", "--clear").stdout == "Deleted 2 note(s).\n"
    assert noted.cli("{{ cookiecutter.plugin_slug }}").stdout.startswith("No notes yet.")
