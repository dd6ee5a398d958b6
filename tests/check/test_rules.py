"""Every rule holds on its own examples."""

import re

import pytest

from hermes_sdk import contract
from hermes_sdk.check.engine import check
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.rules.base import Rule

EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@EACH_RULE
def test_the_bad_example_is_found_and_no_other_error_is(rule: Rule, write):
    result = check(write(rule.bad))
    assert [finding for finding in result.findings if finding.code == rule.code]
    assert {finding.code for finding in result.findings if finding.severity == "error"} <= {rule.code}


@EACH_RULE
def test_the_good_example_is_clean(rule: Rule, write):
    result = check(write(rule.good))
    assert (result.findings, result.not_run) == ((), ())


@EACH_RULE
def test_a_finding_points_into_a_file_of_the_write(rule: Rule, write):
    directory = write(rule.bad)
    for finding in check(directory).findings:
        lines = (directory / finding.path).read_text(encoding="utf-8").splitlines()
        assert 1 <= finding.line <= len(lines)
        assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1


@EACH_RULE
def test_a_rule_says_what_why_and_how(rule: Rule):
    assert re.fullmatch(r"HS[1-8]\d\d", rule.code)
    for text in (rule.title, rule.why, rule.fix):
        assert text.strip() == text != ""
    assert rule.since in contract.releases()


def test_codes_are_unique_and_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
