"""The bad examples of rules do the predicted damage on a running host, and the good examples do not."""

from collections.abc import Iterator, Sequence

import pytest
from check.probes import PROBES, UNPROBED, shows_damage
from conformance.case import RELEASES

from hermes_sdk.check.rule import Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract import load, modelled_releases, parse_release, releases


def find_releases(rule: Rule, releases: Sequence[str]) -> list[str]:
    """Filter the releases on which the bad example of a rule does damage."""
    until = PROBES[rule.code].until
    concerned = [release for release in releases if rule.concerns(load(release))]
    return [release for release in concerned if not until or parse_release(release) < parse_release(until)]


def find_cases() -> Iterator[tuple[Rule, str]]:
    """Find each rule with a probe, with the newest and the oldest modelled release that it applies to."""
    for rule in RULES:
        if rule.code in PROBES:
            concerned = find_releases(rule, modelled_releases())
            for release in dict.fromkeys((*concerned[-1:], *concerned[:1])):
                yield rule, release


def find_real_cases() -> Iterator[tuple[Rule, str]]:
    """Find each rule with a probe, with the releases in `RELEASES` that it applies to, or else the newest one."""
    for rule in RULES:
        if rule.code in PROBES:
            for release in find_releases(rule, RELEASES) or find_releases(rule, releases())[-1:]:
                yield rule, release


BAD = [pytest.param(*one, id=f"{one[0].code}-{one[1]}") for one in find_cases()]
GOOD = {
    (id(PROBES[rule.code]), *rule.good.items(), release): pytest.param(rule, release, id=f"{rule.code}-{release}")
    for rule, release in find_cases()
}
"""Cases for each good example, probe and release; rules with the same example and probe share a case."""


@pytest.mark.usefixtures("ignore_unawaited_coroutines")
@pytest.mark.parametrize(("rule", "release"), BAD)
def test_bad_example_does_the_damage(rule: Rule, release: str):
    assert shows_damage(PROBES[rule.code], rule.bad, release)


@pytest.mark.parametrize(("rule", "release"), GOOD.values())
def test_good_example_does_no_damage(rule: Rule, release: str):
    assert not shows_damage(PROBES[rule.code], rule.good, release)


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize(
    ("rule", "release"), [pytest.param(*one, id=f"{one[0].code}-{one[1]}") for one in find_real_cases()]
)
def test_real_host_shows_the_same_damage(rule: Rule, release: str, real_python):
    real_python(release)
    probe = PROBES[rule.code]
    assert shows_damage(probe, rule.bad, release, "real")
    assert not shows_damage(probe, rule.good, release, "real")


def test_each_rule_has_a_probe_or_a_category():
    listed = [code for codes in UNPROBED.values() for code in codes]
    assert sorted([*PROBES, *listed]) == [rule.code for rule in RULES]


def test_errors_without_a_probe_are_about_security():
    unproven = {rule.code for rule in RULES if rule.severity == "error"} - {*PROBES}
    assert unproven <= {*UNPROBED["security"]}
