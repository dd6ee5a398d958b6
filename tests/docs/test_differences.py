"""Each entry of the page about gotchas was observed on the real 0.19.0 and 0.22.2, and describes the observation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conformance.case import all_cases, run, without_handlers
from conformance.outcomes import has_passed, read_outcomes
from docs.blocks import ROOT

from hermes_sdk.check.rules import RULES
from hermes_sdk.contract.behaviour import FLAGS

RELEASES = ("0.19.0", "0.22.2")
DIFFERENCES = tomllib.loads((ROOT / "docs" / "documents.toml").read_text(encoding="utf-8"))["difference"]
CASES = {one.id: one for one in all_cases()}

each_difference = pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda one: one["advice"])


@each_difference
@pytest.mark.parametrize("release", RELEASES)
def test_case_of_each_difference_has_passed_on_the_real_host(difference: dict[str, Any], release: str) -> None:
    assert has_passed(CASES[difference["case"]], release, read_outcomes())


@each_difference
@pytest.mark.parametrize("release", RELEASES)
def test_case_of_each_difference_returns_the_documented_answer(
    difference: dict[str, Any], release: str, tmp_path: Path
) -> None:
    with without_handlers():
        seen = run(CASES[difference["case"]], "embedded", release, tmp_path)
    assert seen["answer"] == difference["answers"][release]


@each_difference
def test_difference_names_the_release_that_changed_the_behaviour(difference: dict[str, Any]) -> None:
    old, new = (difference["answers"][release] for release in RELEASES)
    named = re.findall(r"(?:Before|Since) (\d+\.\d+\.\d+),", difference["host"])
    assert len(named) == (old != new)
    if named:
        assert {flag.since for flag in FLAGS.values() if flag.case == difference["case"]} <= {*named}


def test_rules_of_differences_exist() -> None:
    assert {one["rule"] for one in DIFFERENCES if "rule" in one} <= {rule.code for rule in RULES}


def test_page_starts_each_difference_with_its_advice() -> None:
    page = (ROOT / "docs" / "explanation" / "documents-and-host.md").read_text(encoding="utf-8")
    assert re.findall(r"^- \*\*(.*?)\.\*\*", page, re.MULTILINE) == [one["advice"] for one in DIFFERENCES]
    assert len(page.split()) <= 660


@pytest.mark.parametrize("page", ["docs/index.md", "docs/how-to/index.md", "docs/how-to/troubleshooting.md"])
def test_pages_where_authors_begin_link_to_the_gotchas(page: str) -> None:
    assert "[Hermes gotchas](" in (ROOT / page).read_text(encoding="utf-8")
