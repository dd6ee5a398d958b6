"""The skills, as the agent reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_the_skill_can_be_read(hermes: Host) -> None:
    assert "{{ cookiecutter.plugin_slug }}:taking-notes" in hermes.skills

    skill = hermes.skill("{{ cookiecutter.plugin_slug }}:taking-notes")

    assert skill["success"]
    assert "{{ cookiecutter.__package }}_add" in skill["content"]
