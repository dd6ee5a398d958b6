"""Selection and names of cells."""

from __future__ import annotations

import sys

import pytest

from hermes_sdk import contract
from hermes_sdk.compat import cells
from hermes_sdk.compat.cells import Cell
from hermes_sdk.compat.report.github import github
from hermes_sdk.errors import UsageError

HERE = "{}.{}".format(*sys.version_info)


EARLIER = ("0.13.0", "0.14.0", "0.15.0", "0.15.1", "0.15.2", "0.16.0", "0.17.0", "0.18.0", "0.18.1", "0.18.2")


def test_modelled_releases_run_on_the_embedded_host_and_unproven_ones_are_marked():
    planned = cells.plan()
    assert [one.release for one in planned] == [one for one in contract.known_releases() if one not in EARLIER]
    assert {one.host for one in planned} == {"embedded"}
    assert [one.release for one in planned if one.is_reliable] == [*contract.releases()]


def test_real_host_runs_each_selected_release_with_each_selected_python():
    real = [one for one in cells.plan(["0.13.0", "0.19.0", "0.13.0"], ["3.11", "3.12"]) if one.host == "real"]
    assert [one.name for one in real] == [
        "real:0.13.0/3.11",
        "real:0.13.0/3.12",
        "real:0.19.0/3.11",
        "real:0.19.0/3.12",
    ]


def test_all_selects_the_installable_releases():
    real = [one.release for one in cells.plan(["all"]) if one.host == "real"]
    assert real == [*EARLIER, *contract.releases()]


def test_earlier_releases_run_only_if_selected():
    assert cells.find_not_run(cells.plan()) == EARLIER
    assert cells.find_not_run(cells.plan(["0.13.0", "0.19.0"])) == EARLIER[1:]
    assert cells.find_not_run(cells.plan(["all"])) == ()


def test_environment_variable_selects_the_python_of_the_real_host(monkeypatch):
    monkeypatch.setenv("HERMES_SDK_PYTHON", "3.12")
    assert cells.parse("real:0.19.0").python == "3.12"


@pytest.mark.parametrize("name", ["0.12.0", "0.21.2", "documented", "git:https://example.org/x.git"])
def test_uninstallable_release_is_rejected(name):
    with pytest.raises(UsageError, match=r"the real host .* does not exist"):
        cells.plan([name])


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("embedded:0.19.0", Cell("embedded", "0.19.0", HERE)),
        ("embedded:0.23.4", Cell("embedded", "0.23.4", HERE)),
        ("real:0.19.0/3.12", Cell("real", "0.19.0", "3.12")),
        (
            "real:git:https://example.org/x.git@v0.23.4/3.12",
            Cell("real", "git:https://example.org/x.git@v0.23.4", "3.12"),
        ),
        ("real:git:ssh://git@example.org/x@main/3.13", Cell("real", "git:ssh://git@example.org/x@main", "3.13")),
    ],
)
def test_cell_is_parsed_from_its_name(text, cell):
    assert cells.parse(text) == cell


@pytest.mark.parametrize("text", ["", "0.19.0", "imaginary:0.19.0", "embedded:0.19.0/3.12", "embedded:", "real:0.21.2"])
def test_invalid_cell_name_is_rejected(text):
    with pytest.raises(UsageError):
        cells.parse(text)


def test_unmodelled_release_is_rejected_only_on_the_embedded_host():
    with pytest.raises(UsageError, match=r"The embedded host models Hermes 0\.19\.0 and later") as refused:
        cells.parse("embedded:0.16.0")
    assert refused.value.fix == "Use real:0.16.0."
    assert cells.parse("real:0.16.0").release == "0.16.0"


def test_ci_matrix_has_one_job_per_cell():
    import json

    planned = cells.plan(["0.19.0"], ["3.12"])
    text = github(planned)
    jobs = json.loads(text)["include"]
    assert "\n" not in text
    assert [cells.parse(job["cell"]) for job in jobs] == [*planned]
    assert jobs[-1] == {
        "cell": "real:0.19.0/3.12",
        "host": "real",
        "release": "0.19.0",
        "python": "3.12",
        "grade": "proven",
    }
