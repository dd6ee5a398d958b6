"""The ledger and the fidelity page are up to date, complete, and claim only what was run."""

import importlib.util
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conformance.case import Case

from hermes_sdk import contract

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "fidelity.py"


@pytest.fixture(scope="module")
def fidelity():
    spec = importlib.util.spec_from_file_location("fidelity", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def evidence(fidelity):
    return fidelity.Evidence.read()


def _acts(host):
    return host.plugins


CASE = Case("A1", "something_is_so", {}, {}, {}, _acts)


def _row(fidelity, *cases, notes=None, outcomes=None, unequal=None):
    text = fidelity.ledger(fidelity.Evidence(cases, notes or {}, outcomes or {}, unequal or {}))
    return re.search(r"^\| A1 \| (.*) \|$", text, re.MULTILINE)[1].split(" | ")


def _record_passed(one, *releases):
    return {one.id: {"case": one.digest, **dict.fromkeys(releases, "passed")}}


def test_ledger_and_page_are_up_to_date():
    done = subprocess.run([sys.executable, SCRIPT, "--check"], check=False, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)


def test_each_statement_has_a_case_or_a_note(evidence):
    assert evidence.open() == []


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("the_guide_s_boot_list_runs", "The guide's boot list runs"),
        ("sys_exit_in_register_ends_the_host", "`sys.exit` in register ends the host"),
        ("pre_tool_call_blocks_a_cli_command_since_0_18", "`pre_tool_call` blocks a CLI command since 0.18"),
        ("files_that_are_not_utf8_are_read", "Files that are not UTF-8 are read"),
        ("a_callback_without_kwargs_fails_by_release", "A callback without `**kwargs` fails in some releases"),
        ("arguments_that_are_almost_json_are_repaired", "Arguments that are almost JSON are repaired"),
    ],
)
def test_case_name_is_readable_as_a_sentence(name, title):
    assert replace(CASE, name=name).title == title


def test_notes_are_about_known_statements(fidelity, evidence):
    every = {name for section in fidelity.SECTIONS for name in evidence.statements(section)}
    assert set(evidence.notes) <= every


def test_tests_named_in_notes_exist(evidence):
    for statement, note in evidence.notes.items():
        file, _, name = (note.test or "").partition("::")
        assert not file or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), statement


def test_passed_cases_are_proven(fidelity):
    row = _row(fidelity, CASE, outcomes=_record_passed(CASE, *fidelity.COLUMNS))
    assert row == ["proven", "Something is so"]


def test_cases_without_an_outcome_are_not_proven(fidelity):
    assert _row(fidelity, CASE)[0] == "not run"
    assert _row(fidelity, CASE, outcomes=_record_passed(CASE, "0.19.0"))[0] == "proven 0.19.0<br>not run from 0.20.2"


def test_outcome_of_an_earlier_version_of_a_case_does_not_count(fidelity):
    changed = replace(CASE, config={"plugins": {"enabled": ["p"]}})
    assert _row(fidelity, changed, outcomes=_record_passed(CASE, *fidelity.COLUMNS))[0] == "not run"


def test_failed_case_outweighs_passed_ones(fidelity):
    other = replace(CASE, name="something_else_is_so")
    failed = {"case": other.digest, **dict.fromkeys(fidelity.COLUMNS, "failed")}
    outcomes = _record_passed(CASE, *fidelity.COLUMNS) | {other.id: failed}
    assert _row(fidelity, CASE, other, outcomes=outcomes)[0] == "fails"


def test_known_difference_is_listed_with_its_reason(fidelity):
    other = replace(CASE, name="a_detail", known="The model has none.")
    outcomes = _record_passed(CASE, *fidelity.COLUMNS) | _record_passed(other, *fidelity.COLUMNS)
    ended, shown = _row(fidelity, CASE, other, outcomes=outcomes)
    assert ended == "proven · differs"
    assert shown == "Something is so<br>A detail *(differs: The model has none.)*"


def test_case_that_still_differs_on_a_release_is_open(fidelity):
    passed = _record_passed(CASE, *fidelity.COLUMNS)
    row = _row(fidelity, CASE, outcomes=passed, unequal={"0.22.2": [CASE.id]})
    assert row[0] == "proven 0.19.0, 0.20.2<br>open from 0.22.2"
    assert row[1] == "*open on 0.22.2:* Something is so"


def test_case_may_show_several_statements(fidelity):
    other = replace(CASE, statement="A2", also=("A1",))
    assert _row(fidelity, other, outcomes=_record_passed(other, *fidelity.COLUMNS))[-1] == "Something is so"


def test_each_release_of_the_page_has_its_grade(fidelity):
    text = fidelity.page(fidelity.Evidence((), {}, {}))
    for release in fidelity.COLUMNS:
        assert f"| {release} | {contract.grade(release)} |" in text


def test_case_counts_only_for_its_releases(fidelity):
    early = replace(CASE, releases=["0.19.0"])
    assert _row(fidelity, early, outcomes=_record_passed(early, "0.19.0")) == ["proven 0.19.0", "Something is so"]


def test_releases_of_a_case_are_shown_if_its_statement_covers_more(fidelity):
    late = [replace(CASE, name=name, releases=["0.20.2", "0.22.2"]) for name in ("one", "two")]
    outcomes = {id: one for case in [CASE, *late] for id, one in _record_passed(case, *fidelity.COLUMNS).items()}
    row = _row(fidelity, CASE, *late, outcomes=outcomes)
    assert row == ["proven", "Something is so<br>*from 0.20.2:* One · Two"]


def test_statements_without_a_case_have_a_reason(fidelity):
    notes = {"A1": fidelity.Note("It takes a model.", "a turn")}
    assert _row(fidelity, notes=notes) == ["needs a turn", "It takes a model."]
    assert _row(fidelity, notes={"A1": fidelity.Note("Nobody sees it.")})[0] == "not observable"
    refused = fidelity.Note("It has none.", test="tests/hosts/test_it.py::test_it")
    assert _row(fidelity, notes={"A1": refused})[0] == "refused"
    assert _row(fidelity)[0] == "open"


def test_later_statements_do_not_apply_to_earlier_releases(fidelity):
    text = fidelity.ledger(fidelity.Evidence((), {"N1": fidelity.Note("It has none.", "a turn")}, {}))
    assert "| N1 | needs a turn from 0.20.2 | It has none. |" in text


def test_page_counts_the_statements_of_an_area(fidelity):
    cases = CASE, replace(CASE, statement="A2"), replace(CASE, statement="A2", name="other", known="It differs.")
    outcomes = {id: found for one in cases for id, found in _record_passed(one, "0.19.0").items()}
    notes = {"A3": fidelity.Note("It has none.", test="tests/hosts/test_it.py::test_it")}
    text = fidelity.page(fidelity.Evidence(cases, notes, outcomes))
    assert "| Discovery and loading | 1 of 46 | 0 of 46 | 0 of 46 |" in text
    assert "| What changed after 0.19 | 0 of 110 | 0 of 110 | 0 of 110 |" in text
    assert "| in part | 1 | 0 | 0 |\n| unsupported | 1 | 1 | 1 |" in text


def test_page_sums_the_random_examples(fidelity):
    recorded = json.loads(fidelity.FIGURES.read_text(encoding="utf-8"))["0.19.0"]
    played = sum(counts["played"] for kind, counts in recorded.items() if kind.startswith("wild "))
    assert f"| 0.19.0 | wild | {played} |" in fidelity.describe_fuzzing()
