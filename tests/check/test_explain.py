"""`explain` and the reference page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.check.rules import RULES
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.documentation import find_section, make_anchor
from hermes_sdk.errors import UsageError
from hermes_sdk.explain import explain, format_rules, list_rules

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_explain_works_for_every_rule(code):
    text = explain(code.lower())
    rule = next(rule for rule in RULES if rule.code == code)
    flag = FLAGS.get(rule.flag)
    release = flag.since if flag else rule.until or rule.since
    for part in (code, rule.title, rule.severity, rule.why, rule.fix):
        assert part in text
    assert (f"Hermes {release}\n" in text or f"Hermes {release} " in text) == (release != "0.13.0")
    assert text.count("```") % 2 == 0


def test_texts_do_not_mention_internal_statements():
    for entry in list_rules():
        assert re.findall(r"\b[A-KN]\d{1,3}\b", explain(entry.code)) == []


@pytest.mark.parametrize(
    ("code", "nearest"),
    [("HS20", "HS201"), ("HS82", "HS820"), ("HS94", "HS94"), ("HS4022", "HS402"), ("H402", "HS402"), ("301", "HS301")],
)
def test_unknown_code_gets_a_suggestion_and_the_path_of_the_page(code, nearest):
    with pytest.raises(UsageError, match=f"no rule '{code}'") as caught:
        explain(code)
    assert caught.value.fix.startswith(f"Did you mean {nearest}")
    assert "docs/reference/rules.md" in caught.value.fix


@pytest.mark.parametrize("code", ["nonsense", ""])
def test_unknown_code_without_a_similar_one_gets_no_suggestion(code):
    with pytest.raises(UsageError) as caught:
        explain(code)
    assert caught.value.fix.startswith("`hermes-sdk explain` lists all rules")


def test_list_has_every_rule_below_its_family_in_80_columns():
    text = format_rules()
    assert max(map(len, text.splitlines())) <= 80
    families = dict(paragraph.split("\n", 1) for paragraph in text.rstrip().split("\n\n"))
    for entry in list_rules():
        line = f"  {entry.code}  {entry.severity:7}  {entry.title}"
        assert line in re.sub("\n {18}", " ", families[entry.family])
    assert len(families["Tools"].splitlines()) == sum(rule.code.startswith("HS3") for rule in RULES)


def test_reference_explains_every_rule_on_the_page_of_its_family():
    index = (ROOT / "docs/reference/rules.md").read_text("utf-8")
    rows = re.findall(r"^\| (HS\d+) to (HS\d+) \| \[.+\]\((.+)\.md\)", index, re.MULTILINE)
    for rule in RULES:
        (page,) = [page for first, last, page in rows if first <= rule.code <= last]
        section = find_section(f"{page}#{make_anchor(f'{rule.code}: {rule.title}')}")
        assert rule.severity in section.text
        assert (rule.question or rule.fix) in section.text


def test_reference_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, "docs/rules.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
