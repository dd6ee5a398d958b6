"""Every rule finds its bad example, and nothing in its good one."""

import re

import pytest
from check.conftest import newest_release

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Result
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import Example, Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract.behaviour import FLAGS

DECIDED = [rule for rule in RULES if rule.subject not in ("person", "network")]
EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
EACH_DECIDED = pytest.mark.parametrize("rule", DECIDED, ids=lambda rule: rule.code)
GOOD_EXAMPLES = {tuple(rule.good.items()): rule for rule in DECIDED}


def result(rule: Rule, files: Example, write) -> Result:
    """Check an example; only rules that run code start a child process."""
    options = Options(static=not rule.runs_code, profile=rule.profile, release=newest_release(rule))
    return check(write(files), options)


@EACH_DECIDED
def test_bad_example_has_only_the_error_of_its_rule(rule: Rule, write):
    found = result(rule, rule.bad, write).findings
    severity = "error" if rule.profile == "catalog" else rule.severity
    assert severity in {finding.severity for finding in found if finding.code == rule.code}
    assert {finding.code for finding in found if finding.severity == "error"} <= {rule.code}
    for finding in found:
        assert (write({}) / finding.path).exists()
        assert finding.line >= 1
        assert finding.column >= 1


@pytest.mark.parametrize("rule", GOOD_EXAMPLES.values(), ids=lambda rule: rule.code)
def test_good_example_has_no_findings(rule: Rule, write):
    answer = result(rule, rule.good, write)
    assert (answer.findings, answer.not_run) == ((), ())


@EACH_RULE
def test_rule_has_all_texts(rule: Rule):
    assert re.fullmatch(r"HS[1-8]\d\d", rule.code)
    for text in (rule.title, rule.why, rule.fix):
        assert text.strip() == text != ""
    assert re.fullmatch(r"\d+\.\d+\.\d+", rule.since)
    assert re.fullmatch(r"(\d+\.\d+\.\d+)?", rule.until)
    if rule.behaviour:
        assert rule.flag in FLAGS
        assert rule.subject in ("plugin", "contract", "registration", "load")


def test_codes_are_unique_and_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
