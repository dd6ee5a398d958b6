"""Every rule holds on its own examples."""

import re
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.check.engine import check, static_findings
from hermes_sdk.check.model import Finding
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.rules.base import Example, LoadRule, Rule, RuntimeRule
from hermes_sdk.manifest import locate

EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
GOOD_EXAMPLES = {tuple(rule.good.items()): rule.code for rule in RULES}


def findings(rule: Rule, directory: Path) -> list[Finding]:
    """What is found in an example; only a rule that needs it costs a child process."""
    if isinstance(rule, LoadRule | RuntimeRule):
        return list(check(directory).findings)
    return list(static_findings(Plugin(locate(directory), directory, contract.load(contract.DEFAULT))))


@EACH_RULE
def test_the_bad_example_is_found_and_no_other_error_is(rule: Rule, write):
    directory = write(rule.bad)
    found = findings(rule, directory)
    assert rule.severity in {finding.severity for finding in found if finding.code == rule.code}
    assert {finding.code for finding in found if finding.severity == "error"} <= {rule.code}
    for finding in found:
        assert (directory / finding.path).exists()
        assert finding.line >= 1
        assert finding.column >= 1


@pytest.mark.parametrize("files", [dict(files) for files in GOOD_EXAMPLES], ids=list(GOOD_EXAMPLES.values()))
def test_a_good_example_is_clean(files: Example, write):
    result = check(write(files))
    assert (result.findings, result.not_run) == ((), ())


@EACH_RULE
def test_a_rule_says_what_why_and_how(rule: Rule):
    assert re.fullmatch(r"HS[1-8]\d\d", rule.code)
    for text in (rule.title, rule.why, rule.fix):
        assert text.strip() == text != ""
    assert rule.since in contract.releases()


def test_codes_are_unique_and_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
