"""Failures that users reported: the right rule finds each in a small plugin, and no other rule reports an error.

Each `field/*.toml` has the symptom, links to the reports, the code of the rule, and the files of the plugin.
`field/elsewhere.toml` explains why other failures cannot be reproduced with the files of a plugin.
"""

import tomllib
from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rules import RULES

FOLDER = Path(__file__).parent / "field"
REPORTED = {"A": 5, "C": 2, "D": 2, "K": 7, "L": 8, "M": 6, "N": 3, "S": 4, "T": 4}
"""Number of reported failures by kind: agents, commands, dependencies, calls, loading, manifests and others."""

ELSEWHERE = tomllib.loads((FOLDER / "elsewhere.toml").read_text(encoding="utf-8"))
ROWS = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.toml"))
    if path.stem != "elsewhere"
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_reported_failure_is_found(row, write):
    found = check(write(row["files"]), Options(target=row.get("target"), release=row.get("release"))).findings
    assert row["code"] in {one.code for one in found}
    assert {one.code for one in found if one.severity == "error"} <= {row["code"]}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_reported_failure_has_a_description(row):
    assert row["symptom"].strip()
    assert row["reported"]
    assert row["code"] in {rule.code for rule in RULES}


def test_every_reported_failure_is_tested_or_explained():
    shown = {name.partition("-")[0] for name in ROWS}
    assert shown.isdisjoint(ELSEWHERE)
    assert shown | ELSEWHERE.keys() == {f"{kind}{number + 1}" for kind in REPORTED for number in range(REPORTED[kind])}
    assert all(reason.strip() for reason in ELSEWHERE.values())
