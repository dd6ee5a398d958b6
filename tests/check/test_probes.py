"""Each rule that states what Hermes does is right about its own examples: they run on the host."""

from collections.abc import Iterator, Sequence

import pytest
from check.probes import PROBES, UNPROBED, shows_damage
from conformance.case import RELEASES

from hermes_sdk.check.rule import Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract import load, modelled_releases, parse_release

NOT_EXECUTABLE_YET = 11
"""How many rules lack a probe that could have one. The number only falls."""


def find_releases(rule: Rule, releases: Sequence[str]) -> list[str]:
    """Find those of some releases on which the bad example of a rule does damage."""
    until = PROBES[rule.code].until
    concerned = [release for release in releases if rule.concerns(load(release))]
    return [release for release in concerned if not until or parse_release(release) < parse_release(until)]


def find_cases() -> Iterator[tuple[Rule, str]]:
    """Find each rule with a probe, with the newest and the oldest modelled release that it concerns."""
    for rule in RULES:
        if rule.code in PROBES:
            concerned = find_releases(rule, modelled_releases())
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


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("code", PROBES)
def test_the_real_host_does_the_same(code: str, release: str, real_python):
    rule = next(rule for rule in RULES if rule.code == code)
    if not find_releases(rule, [release]):
        pytest.skip("the rule does not concern the release")
    real_python(release)
    assert shows_damage(PROBES[code], rule.bad, release, "real")
    assert not shows_damage(PROBES[code], rule.good, release, "real")


def test_each_rule_has_a_probe_or_a_reason_why_not():
    listed = [code for codes in UNPROBED.values() for code in codes]
    assert sorted([*PROBES, *listed]) == [rule.code for rule in RULES]
    assert len(UNPROBED["not executable yet"]) == NOT_EXECUTABLE_YET


def test_rules_of_style_are_not_errors():
    assert not [rule.code for rule in RULES if rule.severity == "error" and rule.code in UNPROBED["style and advice"]]
