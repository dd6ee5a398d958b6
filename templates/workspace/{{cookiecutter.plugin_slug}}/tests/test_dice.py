"""The dice, as the model rolls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hermes_sdk.testing import PluginContract

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

PLUGIN = "plugins/{{ cookiecutter.__package }}_dice"
pytestmark = pytest.mark.hermes(plugin=PLUGIN)


def test_each_die_shows_one_to_six(hermes: Host) -> None:
    shown = hermes.call_tool("{{ cookiecutter.__package }}_roll", count=50).json["shown"]

    assert len(shown) == 50
    assert set(shown) <= {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("count", [0, 101, "many", None])
def test_invalid_arguments_return_an_error(hermes: Host, count: object) -> None:
    result = hermes.call_tool("{{ cookiecutter.__package }}_roll", {"count": count})

    assert result.error == "count is a whole number from 1 to 100."


class TestPluginContract(PluginContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    plugin = PLUGIN
