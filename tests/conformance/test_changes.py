"""The table of changes: every one is proven, and what only the real host shows yet, it shows on both sides.

Where the recorded outcome holds, the real host does not run again, as for cases.
"""

import pytest
from conformance import cases_drift, cases_drift_turns
from conformance.case import CASES, run
from conformance.changes import CHANGES, probes

NUMBERED = 19
"""How many changes broke plugins between 0.13.0 and 0.19.0."""

DRIFT = {cases_drift.__name__, cases_drift_turns.__name__}
BOTH_HOSTS = [one for one in CASES if one.act.__module__ in DRIFT]

PROBES = [
    pytest.param(name, release, outcome, id=f"{name}-{release}")
    for name, change in CHANGES.items()
    if change.probe
    for release, outcome in zip((change.before, change.after), change.probe.outcomes, strict=True)
]


@pytest.mark.real_host
@pytest.mark.parametrize(("name", "release", "outcome"), PROBES)
def test_the_real_host_behaves_so_on_this_side_of_the_change(
    name, release, outcome, tmp_path, real_python, is_recorded
):
    one = probes()[name]
    if is_recorded(one, release, outcome):
        return
    real_python(release)
    assert run(one, "real", release, tmp_path)["answer"] == outcome


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_proven_by_cases_or_says_why_not_yet(name):
    change = CHANGES[name]
    cases = [one for one in BOTH_HOSTS if one.statement == f"change.{name}" and one.known is None]
    if change.later is None:
        assert {release for one in cases for release in one.releases} == {change.before, change.after}
    else:
        assert change.facts or change.probe
        assert all(change.after in one.releases for one in cases)


@pytest.mark.parametrize("one", [one for one in BOTH_HOSTS if len(one.releases) == 1], ids=lambda one: one.id)
def test_before_a_module_moved_the_embedded_host_says_that_it_does_not_model_it(one, tmp_path):
    change = CHANGES[one.statement.removeprefix("change.")]
    reports = run(one, "embedded", change.before, tmp_path)["reports"].values()
    assert {report["status"] for report in reports} == {"unsupported"}


@pytest.mark.parametrize("one", [one for one in BOTH_HOSTS if len(one.releases) == 2], ids=lambda one: one.id)
def test_the_two_sides_of_a_change_differ(one, tmp_path):
    before, after = (run(one, "embedded", release, tmp_path / release) for release in one.releases)
    assert before != after


def test_every_change_that_broke_plugins_is_in_the_table():
    numbers = {int(name.rstrip("abc")) for name in CHANGES if name[0].isdigit()}
    assert numbers == set(range(1, NUMBERED + 1))
