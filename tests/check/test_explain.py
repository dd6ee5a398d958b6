"""`explain` and the reference page."""

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.check.rules import RULES
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.errors import UsageError
from hermes_sdk.explain import explain

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_every_rule_explains_itself(code):
    text = explain(code.lower())
    rule = next(rule for rule in RULES if rule.code == code)
    flag = FLAGS.get(rule.behaviour.removeprefix("not "))
    release = flag.since if flag else rule.until or rule.since
    for part in (code, rule.title, rule.severity, release, rule.why, rule.fix):
        assert part in text
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize(("code", "similar"), [("HS20", "HS20"), ("HS82", "HS82"), ("HS94", "HS94")])
def test_an_unknown_code_names_similar_ones_of_the_check_and_of_the_suites(code, similar):
    with pytest.raises(UsageError, match=f"no rule '{code}'") as caught:
        explain(code)
    assert similar in caught.value.fix


def test_the_reference_page_is_up_to_date():
    done = subprocess.run(
        [sys.executable, "docs/rules.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
