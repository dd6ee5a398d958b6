"""The tool, called the way a model calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hermes_sdk.testing import call

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

OFFERS = [{"name": "bag", "price": 3.0, "size": 0.5}, {"name": "sack", "price": 20, "size": 5}]


def test_the_cheapest_comes_first(hermes: Host) -> None:
    hermes.llm.script(call("{{ cookiecutter.__package }}", offers=OFFERS), "The sack.")

    turn = hermes.chat("Which rice is cheaper?")

    assert list(turn.tool_calls[0].result.json["unit_prices"].items()) == [("sack", 4.0), ("bag", 6.0)]


@pytest.mark.parametrize("offers", [None, 7, [{}], [{"name": "air", "price": 1, "size": 0}]])
def test_invalid_arguments_return_an_error(hermes: Host, offers: object) -> None:
    result = hermes.call_tool("{{ cookiecutter.__package }}", {"offers": offers})

    assert result.error == "Each offer needs a name, a price and a size above 0."


def test_no_offers_return_an_error(hermes: Host) -> None:
    assert hermes.call_tool("{{ cookiecutter.__package }}", offers=[]).error == "There is nothing to compare."
