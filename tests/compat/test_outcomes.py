"""Verdicts and ranges computed from the outcomes of cells."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from compat.matrices import make_matrix
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk import contract
from hermes_sdk.compat.floor import true_range
from hermes_sdk.compat.report.text import choose_sign, describe_not_run, describe_verdict, note, promise

SCHEMA = json.loads(files("hermes_sdk.compat.report").joinpath("compat.schema.json").read_text(encoding="utf-8"))

verdicts = st.lists(
    st.sampled_from(["passes", "fails", "broken", "lacks", "unknown"]),
    min_size=len(contract.releases()),
    max_size=len(contract.releases()),
)


@pytest.mark.parametrize(
    ("how", "verdict"),
    [("passes", "passes"), ("fails", "fails"), ("broken", "fails"), ("lacks", "lacks"), ("unknown", "unknown")],
)
def test_cell_has_a_one_word_verdict(how, verdict):
    assert make_matrix({"0.19.0": how}).outcomes[0].verdict == verdict


@given(verdicts)
def test_range_starts_at_the_first_pass_and_ends_at_a_permanent_failure(how):
    matrix = make_matrix(dict(zip(contract.releases(), how, strict=True)))
    known = matrix.passing
    if not any(known.values()):
        assert matrix.floor is None
        return
    releases = list(known)
    at = releases.index(matrix.floor)
    run = [known[release] for release in releases[at:]]
    assert run == sorted(run, reverse=True)
    assert run[0]
    assert at == 0 or not known[releases[at - 1]]


@given(verdicts, st.sampled_from([None, ">=0.20", "<0.20", "nonsense"]))
def test_json_matches_its_schema(how, requires):
    not_run = {"0.16.0": ("hook pre_verify",), "0.18.0": ()}
    document = make_matrix(dict(zip(contract.releases(), how, strict=True)), requires, not_run=not_run).as_json()
    assert document["not_run"][0] == {"release": "0.16.0", "missing_apis": ["hook pre_verify"]}
    jsonschema.validate(json.loads(json.dumps(document)), SCHEMA)


def test_schema_is_valid_and_rejects_unknown_keys():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**make_matrix({"0.19.0": "passes"}).as_json(), "schema": "hermes-sdk.compat/2"}, SCHEMA)


def test_release_passes_if_both_hosts_pass():
    matrix = make_matrix({"0.19.0": "passes", "0.20.2": "passes", "real:0.19.0": "fails", "real:0.20.2": "unknown"})
    assert matrix.passing == {"0.19.0": False, "0.20.2": True}
    assert matrix.floor == "0.20.2"


@pytest.mark.parametrize("verdict", ["passes", "fails", "broken", "unknown"])
def test_results_on_unproven_releases_do_not_change_the_range(verdict):
    matrix = make_matrix({"0.19.0": "passes", "0.21.4": verdict, "0.23.4": verdict})
    assert (matrix.floor, matrix.broken, true_range(matrix)) == ("0.19.0", (), ">=0.19.0")
    matrix = make_matrix({"real:0.18.0": "passes", "0.19.0": "fails", "0.21.4": verdict, "0.23.4": verdict})
    assert true_range(matrix) == ">=0.18.0, <0.19.0"
    assert make_matrix({"0.19.0": "fails", "0.21.4": verdict, "0.23.4": verdict}).floor is None


@pytest.mark.parametrize("verdict", ["passes", "fails", "unknown"])
def test_missing_apis_in_unproven_releases_move_the_start_of_the_range(verdict):
    matrix = make_matrix(
        {"real:0.18.0": "lacks", "0.19.0": "lacks", "0.20.0": "lacks", "0.20.1": verdict, "0.21.4": verdict}
    )
    assert (matrix.floor, matrix.passing) == ("0.20.1", {"0.18.0": False, "0.19.0": False})
    assert true_range(matrix) == ">=0.20.1"


def test_promise_names_the_unproven_release_that_added_a_used_api():
    told = promise(make_matrix({"0.20.2": "lacks", "0.21.4": "passes"}))
    assert told.endswith("the plugin uses APIs that Hermes has since 0.21.4, which no proven release has.")


def test_removed_api_in_unproven_releases_ends_the_range():
    assert true_range(make_matrix({"0.19.0": "passes", "0.21.5": "passes", "0.22.2": "lacks"})) == ">=0.19.0, <0.22.2"


def test_documented_facts_alone_do_not_change_the_range():
    matrix = make_matrix({"0.19.0": "lacks", "0.22.2": "lacks", "0.23.4": "passes"})
    assert matrix.floor is None
    assert true_range(make_matrix({"0.19.0": "passes", "0.22.2": "passes", "0.23.4": "lacks"})) == ">=0.19.0"


def test_real_host_failure_on_an_unproven_release_ends_the_range():
    cells = {"0.20.2": "passes", "0.21.4": "passes", "real:0.21.4": "fails"}
    assert true_range(make_matrix(cells)) == ">=0.20.2, <0.21.4"


def test_failure_on_a_git_revision_does_not_change_the_minimum_version():
    matrix = make_matrix({"0.19.0": "passes", "real:git:https://example.org/x@main": "fails"})
    assert matrix.floor == "0.19.0"
    assert [one.cell.release for one in matrix.broken] == ["git:https://example.org/x@main"]


@pytest.mark.parametrize(
    ("requires", "broken"),
    [(None, ["0.13.0", "0.17.0"]), (">=0.16", ["0.17.0"]), (">=0.18", []), ("~=0.18", ["0.13.0", "0.17.0"])],
)
def test_failure_outside_the_promised_range_breaks_no_promise(requires, broken):
    matrix = make_matrix(
        {"real:0.13.0": "broken", "real:0.16.0": "lacks", "real:0.17.0": "fails", "0.19.0": "passes"}, requires
    )
    assert [one.cell.release for one in matrix.broken] == broken


def test_release_that_did_not_run_is_named_but_breaks_no_promise():
    matrix = make_matrix({"0.19.0": "passes"}, ">=0.16", not_run={"0.13.0": ("a",), "0.16.0": ("a",), "0.17.0": ()})
    assert matrix.broken == ()
    told = promise(matrix)
    assert told.endswith(", so it admits 0.16.0, without APIs that the plugin uses. The tested range is '>=0.19.0'.")
    nothing = make_matrix({"0.19.0": "unknown"}, ">=0.16", not_run={"0.17.0": ()})
    assert promise(nothing).endswith("; this run does not show whether that is correct.")


@pytest.mark.parametrize(
    ("not_run", "line"),
    [
        ({"0.17.0": (), "0.18.0": ()}, "0.17.0–0.18.0: no API is missing; not run without --real"),
        (
            {"0.13.0": (), "0.15.0": (), "0.15.1": ()},
            "0.13.0, 0.15.0–0.15.1: no API is missing; not run without --real",
        ),
        ({"0.16.0": ("a",), "0.17.0": ()}, "0.16.0–0.17.0: a is missing in 0.16.0; not run without --real"),
        (
            {"0.16.0": ("a", "b"), "0.17.0": ("b",)},
            "0.16.0–0.17.0: a, b are missing in 0.16.0; b is missing in 0.17.0; not run without --real",
        ),
        ({"0.16.0": ("a",), "0.17.0": ("a",)}, "0.16.0–0.17.0: a is missing; not run without --real"),
    ],
)
def test_releases_that_did_not_run_share_a_line(not_run, line):
    assert describe_not_run(not_run) == line


@pytest.mark.parametrize(
    ("name", "verdict", "told"),
    [
        ("0.22.2", "passes", "✓ passes"),
        ("0.23.4", "passes", "○ unverified"),
        ("real:0.23.4", "passes", "✓ passes"),
        ("0.22.2", "broken", "✗ does not load"),
        ("0.22.2", "fails", "✗ loads · 1 test fails"),
        ("0.22.2", "lacks", "◐ lacks"),
        ("0.22.2", "unknown", "? unknown"),
    ],
)
def test_verdict_includes_loading_and_verification_of_the_release(name, verdict, told):
    [cell] = make_matrix({name: verdict}).as_json()["releases"]
    assert f"{choose_sign(cell)} {describe_verdict(cell)}" == told


def test_promise_names_only_verified_releases():
    told = promise(make_matrix({"0.19.0": "passes", "0.21.4": "passes", "0.22.2": "passes", "0.23.4": "passes"}))
    assert told.endswith(
        "; the plugin passes on 0.19.0, 0.22.2, and as far as measured on 0.21.4; the others are unverified."
    )
    assert promise(make_matrix({"0.19.0": "passes", "0.22.2": "passes"})).endswith(
        "; the plugin passes on 0.19.0, 0.22.2."
    )


def test_unknown_cell_has_a_reason_in_addition_to_missing_apis():
    outcome = replace(
        make_matrix({"0.22.2": "lacks"}).outcomes[0], tests=None, error="pytest could not run: no such option"
    )
    assert note(outcome) == "lacks hook pre_verify; pytest could not run: no such option"
