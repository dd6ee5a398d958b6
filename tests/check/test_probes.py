"""Each rule that states what Hermes does is right about its own examples: they run on the host."""

from collections.abc import Iterator

import pytest
from check.probes import PROBES, UNPROBED, shows_damage

from hermes_sdk.check.rule import Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract import load, modelled_releases

NOT_EXECUTABLE_YET = 17
"""How many rules lack a probe that could have one. The number only falls."""


def find_cases() -> Iterator[tuple[Rule, str]]:
    """Find each rule with a probe, with the newest and the oldest modelled release that it concerns."""
    for rule in RULES:
        if rule.code in PROBES:
            flag = PROBES[rule.code].without
            contracts = [load(release) for release in modelled_releases()]
            wrong = [one for one in contracts if rule.concerns(one) and not (flag and getattr(one.behaviour, flag))]
            concerned = [one.release for one in wrong]
            for release in dict.fromkeys((concerned[-1], concerned[0])):
                yield rule, release


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize(
    ("rule", "release"), [pytest.param(*one, id=f"{one[0].code}-{one[1]}") for one in find_cases()]
)
def test_the_bad_example_does_the_damage_and_the_good_one_does_not(rule: Rule, release: str):
    probe = PROBES[rule.code]
    assert shows_damage(probe, rule.bad, release)
    assert not shows_damage(probe, rule.good, release)


def test_each_rule_has_a_probe_or_a_reason_why_not():
    listed = [code for codes in UNPROBED.values() for code in codes]
    assert sorted([*PROBES, *listed]) == [rule.code for rule in RULES]
    assert len(UNPROBED["not executable yet"]) == NOT_EXECUTABLE_YET


def test_rules_of_style_are_not_errors():
    assert not [rule.code for rule in RULES if rule.severity == "error" and rule.code in UNPROBED["style and advice"]]
