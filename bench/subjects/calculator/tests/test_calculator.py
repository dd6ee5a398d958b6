"""Fifty tests, each of which calls a tool on its own host."""

import pytest


@pytest.mark.parametrize("number", range(20))
def test_powers(hermes, number):
    assert hermes.call_tool("calculate", expression=f"2**{number}").json["result"] == 2**number


@pytest.mark.parametrize("expression", ["1/0", "nothing", "2 +", ""])
def test_invalid_expression_is_an_error(hermes, expression):
    assert "error" in hermes.call_tool("calculate", expression=expression).json


@pytest.mark.parametrize("number", range(20))
def test_kilometres_and_metres(hermes, number):
    answer = hermes.call_tool("unit_convert", value=number, from_unit="km", to_unit="m").json
    assert answer["result"] == 1000 * number


@pytest.mark.parametrize(("fahrenheit", "celsius"), [(32, 0), (212, 100), (-40, -40), (50, 10), (98.6, 37)])
def test_degrees(hermes, fahrenheit, celsius):
    answer = hermes.call_tool("unit_convert", value=fahrenheit, from_unit="F", to_unit="C").json
    assert answer["result"] == celsius


def test_conversion_between_unrelated_units_is_an_error(hermes):
    assert "error" in hermes.call_tool("unit_convert", value=1, from_unit="km", to_unit="GB").json
