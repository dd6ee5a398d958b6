"""The page that says what is proven: up to date, complete, and never more than what was run."""

import importlib.util
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conformance.case import RELEASES, Case

SCRIPT = Path(__file__).parents[2] / "docs" / "fidelity.py"


@pytest.fixture(scope="module")
def fidelity():
    spec = importlib.util.spec_from_file_location("fidelity", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def evidence(fidelity):
    return fidelity.Evidence.collected()


def _acts(host):
    return host.plugins


CASE = Case("A1", "something_is_so", {}, {}, {}, _acts)


def _row(fidelity, *cases, notes=None, outcomes=None):
    text = fidelity.page(fidelity.Evidence(cases, notes or {}, outcomes or {}))
    return re.search(r"^\| A1 \| (.*) \|$", text, re.MULTILINE)[1].split(" | ")


def _passed(one, *releases):
    return {one.id: {"case": one.digest, **dict.fromkeys(releases, "passed")}}


def test_the_page_is_up_to_date():
    done = subprocess.run([sys.executable, SCRIPT, "--check"], check=False, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)


def test_every_statement_is_shown_or_named(evidence):
    assert evidence.open() == []


def test_only_known_statements_are_named(fidelity, evidence):
    every = {name for section in fidelity.SECTIONS for name in evidence.statements(section)}
    assert set(evidence.notes) <= every


def test_what_passed_is_proven(fidelity):
    assert _row(fidelity, CASE, outcomes=_passed(CASE, *RELEASES)) == ["proven"] * 3 + ["something is so"]


def test_what_was_not_run_is_not_proven(fidelity):
    assert _row(fidelity, CASE)[:3] == ["not run"] * 3
    assert _row(fidelity, CASE, outcomes=_passed(CASE, RELEASES[0]))[:3] == ["proven", "not run", "not run"]


def test_the_outcome_of_an_older_case_does_not_count(fidelity):
    changed = replace(CASE, config={"plugins": {"enabled": ["p"]}})
    assert _row(fidelity, changed, outcomes=_passed(CASE, *RELEASES))[:3] == ["not run"] * 3


def test_one_failure_outweighs_what_passed(fidelity):
    other = replace(CASE, name="something_else_is_so")
    outcomes = _passed(CASE, *RELEASES) | {other.id: {"case": other.digest, **dict.fromkeys(RELEASES, "failed")}}
    assert _row(fidelity, CASE, other, outcomes=outcomes)[:3] == ["fails"] * 3


def test_a_known_difference_is_told_with_its_reason(fidelity):
    other = replace(CASE, name="a_detail", known="The model has none.")
    row = _row(fidelity, CASE, other, outcomes=_passed(CASE, *RELEASES) | _passed(other, *RELEASES))
    assert row == ["proven · differs"] * 3 + ["something is so<br>a detail *(differs: The model has none.)*"]


def test_releases_of_a_case(fidelity):
    late = replace(CASE, releases=["0.18.0", "0.19.0"])
    row = _row(fidelity, late, outcomes=_passed(late, "0.18.0", "0.19.0"))
    assert row == ["not there", "not there", "proven", "something is so (0.18.0, 0.19.0 proven)"]


def test_what_has_no_case_tells_why(fidelity):
    notes = {"A1": fidelity.Note("It takes a model.", "a turn")}
    assert _row(fidelity, notes=notes) == ["needs a turn"] * 3 + ["It takes a model."]
    assert _row(fidelity, notes={"A1": fidelity.Note("Nobody sees it.")})[0] == "not observable"
    assert _row(fidelity)[0] == "open"
