"""The skills of the plugin, as the agent finds them."""

from __future__ import annotations

import json
from pathlib import Path

from hermes_sdk.testing import Host

PLUGIN = Path(__file__).parents[1] / "{{ cookiecutter.__package }}"


def test_hermes_loads_every_skill(hermes: Host) -> None:
    folders = sorted(folder.name for folder in (PLUGIN / "skills").iterdir())

    assert [name.partition(":")[2] for name in hermes.skills] == folders


def test_the_agent_reads_the_steps(hermes: Host) -> None:
    (name,) = hermes.skills

    answer = hermes.skill(name)

    assert answer["success"]
    assert "git describe" in answer["content"]


def test_the_manifest_names_the_plugin() -> None:
    manifest = json.loads((PLUGIN / "plugin.json").read_text(encoding="utf-8"))

    assert manifest["name"] == "{{ cookiecutter.plugin_slug }}"
