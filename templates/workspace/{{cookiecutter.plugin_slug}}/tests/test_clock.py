"""The slash command of the clock, as a user calls it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hermes_sdk.testing import PluginContract

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

PLUGIN = "plugins/{{ cookiecutter.__package }}_clock"
pytestmark = pytest.mark.hermes(plugin=PLUGIN)


@pytest.mark.parametrize("zone", ["", " UTC"])
def test_command_answers_with_the_time(hermes: Host, zone: str) -> None:
    answer = hermes.command(f"/{{ cookiecutter.plugin_slug }}-clock{zone}")

    assert re.fullmatch(r"[012]\d:[0-5]\d \(.+\)", answer or "")


@pytest.mark.parametrize("zone", ["Atlantis", "../etc/passwd", "/etc/passwd"])
def test_unknown_zone_returns_an_error(hermes: Host, zone: str) -> None:
    answer = hermes.command(f"/{{ cookiecutter.plugin_slug }}-clock {zone}")

    assert answer == f"There is no time zone {zone!r}; there is Asia/Tokyo, for example."


class TestPluginContract(PluginContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    plugin = PLUGIN
