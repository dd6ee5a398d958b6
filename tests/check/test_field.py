"""Failures that were reported from the field: each has a tiny plugin that the right rule finds, and no other as error.

`field/*.toml` holds one row each: what happened and where that was reported, the code, the files.
`field/elsewhere.toml` says why the others cannot be shown by the files of a plugin.
"""

import tomllib
from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rules import RULES

FOLDER = Path(__file__).parent / "field"
REPORTED = {"A": 5, "C": 2, "D": 2, "K": 7, "L": 8, "M": 6, "N": 3, "S": 4, "T": 4}
"""How many failures of each kind were reported: agents, commands, dependencies, calls, loading, manifests and so on."""

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
