"""What follows from the outcomes of the cells."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from compat.matrices import made
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
def test_a_cell_is_told_in_one_word(how, verdict):
    assert made({"0.19.0": how}).outcomes[0].verdict == verdict


@given(verdicts)
def test_from_the_floor_on_everything_passes_until_something_breaks_for_good(how):
    matrix = made(dict(zip(contract.releases(), how, strict=True)))
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
def test_json_is_as_its_schema_says(how, requires):
    not_run = {"0.16.0": ("hook pre_verify",), "0.18.0": ()}
    document = made(dict(zip(contract.releases(), how, strict=True)), requires, not_run=not_run).as_json()
    assert document["not_run"][0] == {"release": "0.16.0", "missing_apis": ["hook pre_verify"]}
    jsonschema.validate(json.loads(json.dumps(document)), SCHEMA)


def test_the_schema_is_one_and_refuses_what_it_does_not_describe():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**made({"0.19.0": "passes"}).as_json(), "schema": "hermes-sdk.compat/2"}, SCHEMA)


def test_a_release_passes_when_it_does_so_on_both_hosts():
    matrix = made({"0.19.0": "passes", "0.20.2": "passes", "real:0.19.0": "fails", "real:0.20.2": "unknown"})
    assert matrix.passing == {"0.19.0": False, "0.20.2": True}
    assert matrix.floor == "0.20.2"


@pytest.mark.parametrize("verdict", ["passes", "fails", "broken", "unknown"])
def test_runs_in_releases_that_are_not_proven_decide_nothing(verdict):
    matrix = made({"0.19.0": "passes", "0.21.4": verdict, "0.23.4": verdict})
    assert (matrix.floor, matrix.broken, true_range(matrix)) == ("0.19.0", (), ">=0.19.0")
    matrix = made({"real:0.18.0": "passes", "0.19.0": "fails", "0.21.4": verdict, "0.23.4": verdict})
    assert true_range(matrix) == ">=0.18.0, <0.19.0"
    assert made({"0.19.0": "fails", "0.21.4": verdict, "0.23.4": verdict}).floor is None


@pytest.mark.parametrize("verdict", ["passes", "fails", "unknown"])
def test_apis_that_they_lack_or_have_decide_where_the_range_begins(verdict):
    matrix = made({"real:0.18.0": "lacks", "0.19.0": "lacks", "0.20.0": "lacks", "0.20.1": verdict, "0.21.4": verdict})
    assert (matrix.floor, matrix.passing) == ("0.20.1", {"0.18.0": False, "0.19.0": False})
    assert true_range(matrix) == ">=0.20.1"


def test_what_no_proven_release_has_begins_where_the_host_has_it():
    told = promise(made({"0.20.2": "lacks", "0.21.4": "passes"}))
    assert told.endswith("the plugin uses APIs that Hermes has since 0.21.4, which no proven release has.")


def test_an_api_that_they_no_longer_have_ends_the_range():
    assert true_range(made({"0.19.0": "passes", "0.21.5": "passes", "0.22.2": "lacks"})) == ">=0.19.0, <0.22.2"


def test_documents_alone_decide_no_range():
    matrix = made({"0.19.0": "lacks", "0.22.2": "lacks", "0.23.4": "passes"})
    assert matrix.floor is None
    assert true_range(made({"0.19.0": "passes", "0.22.2": "passes", "0.23.4": "lacks"})) == ">=0.19.0"


def test_a_real_host_decides_in_a_release_that_the_embedded_one_is_not_proven_for():
    cells = {"0.20.2": "passes", "0.21.4": "passes", "real:0.21.4": "fails"}
    assert true_range(made(cells)) == ">=0.20.2, <0.21.4"


def test_a_revision_decides_nothing_about_the_floor():
    matrix = made({"0.19.0": "passes", "real:git:https://example.org/x@main": "fails"})
    assert matrix.floor == "0.19.0"
    assert [one.cell.release for one in matrix.broken] == ["git:https://example.org/x@main"]


@pytest.mark.parametrize(
    ("requires", "broken"),
    [(None, ["0.13.0", "0.17.0"]), (">=0.16", ["0.17.0"]), (">=0.18", []), ("~=0.18", ["0.13.0", "0.17.0"])],
)
def test_what_the_manifest_does_not_promise_cannot_break_it(requires, broken):
    matrix = made(
        {"real:0.13.0": "broken", "real:0.16.0": "lacks", "real:0.17.0": "fails", "0.19.0": "passes"}, requires
    )
    assert [one.cell.release for one in matrix.broken] == broken


def test_a_release_that_was_not_run_breaks_no_promise_but_the_report_names_it():
    matrix = made({"0.19.0": "passes"}, ">=0.16", not_run={"0.13.0": ("a",), "0.16.0": ("a",), "0.17.0": ()})
    assert matrix.broken == ()
    told = promise(matrix)
    assert told.endswith(", so it admits 0.16.0, without APIs that the plugin uses. The tested range is '>=0.19.0'.")
    nothing = made({"0.19.0": "unknown"}, ">=0.16", not_run={"0.17.0": ()})
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
def test_releases_that_were_not_run_share_a_line(not_run, line):
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
def test_a_verdict_says_whether_the_plugin_loads_and_whether_the_release_is_verified(name, verdict, told):
    [cell] = made({name: verdict}).as_json()["releases"]
    assert f"{choose_sign(cell)} {describe_verdict(cell)}" == told


def test_the_promise_names_verified_releases_only():
    told = promise(made({"0.19.0": "passes", "0.21.4": "passes", "0.22.2": "passes", "0.23.4": "passes"}))
    assert told.endswith(
        "; the plugin passes on 0.19.0, 0.22.2, and as far as measured on 0.21.4; the others are unverified."
    )
    assert promise(made({"0.19.0": "passes", "0.22.2": "passes"})).endswith("; the plugin passes on 0.19.0, 0.22.2.")


def test_a_cell_that_is_unknown_gives_a_reason_besides_missing_apis():
    outcome = replace(made({"0.22.2": "lacks"}).outcomes[0], tests=None, error="pytest could not run: no such option")
    assert note(outcome) == "lacks hook pre_verify; pytest could not run: no such option"
