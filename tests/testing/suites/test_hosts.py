"""The examples also pass their suites in an installed Hermes, within its own time limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from examples import test_contracts

from hermes_sdk.testing.suites.contract import Contract, run_rule_on_host
from hermes_sdk.testing.suites.rules.running import suite

SUITES = [one for one in vars(test_contracts).values() if isinstance(one, type) and one.__name__.startswith("Test")]
ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("release", ["0.13.0", "0.19.0"])
@pytest.mark.parametrize("cls", SUITES)
def test_example_passes_every_rule(cls: type[Contract], release: str, real_python: Callable[[str], object]):
    real_python(release)
    found = {rule.code: run_rule_on_host(cls, rule, ROOT, "real", release) for rule in suite(cls.suite).RULES}
    assert {code: result for code, result in found.items() if result["outcome"] == "broken"} == {}
