"""The engine, as the model sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hermes_sdk.testing import call

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

pytestmark = pytest.mark.hermes(config={"context": {"engine": "{{ cookiecutter.plugin_slug }}"}})


def test_hermes_has_the_engine(hermes: Host) -> None:
    assert hermes.report()["context_engine"] == "{{ cookiecutter.plugin_slug }}"


def test_the_model_is_told_that_nothing_is_missing(hermes: Host) -> None:
    hermes.llm.script(call("{{ cookiecutter.__package }}_status"), "Everything is there.")

    turn = hermes.chat("Did you forget something?")

    assert turn.tool_calls[0].result.json == {"left_out": 0, "times": 0}
