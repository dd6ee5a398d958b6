"""Conformance cases on the embedded and the real host, compared field by field.

The real host runs only without a valid recorded outcome, or with ``--ask-real`` or ``--record-outcomes``.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from conformance.case import RELEASES, Case, all_cases, run, without_handlers
from conformance.outcomes import IsRecorded, has_passed, read_outcomes

from hermes_sdk.contract import parse_release
from hermes_sdk.hosts.interface import NotSupported


def marks(one: Case, release: str, releases: Sequence[str]) -> object:
    """Mark a case as slow on all releases but its oldest and newest, unless its current form never passed there.

    Gateway cases run on their newest release only, because a real gateway takes a second or two.
    """
    often = {releases[-1]} if "record" in one.options else {releases[0], releases[-1]}
    passed = has_passed(one, release, read_outcomes())
    return pytest.mark.slow if passed and release not in often else ()


def pairs(release: str | None) -> list[object]:
    """Return each case with each of its releases, or only with `release`, if the case lists it or lists none."""
    found = []
    for one in all_cases():
        chosen: Sequence[str] = one.releases or RELEASES
        if release:
            chosen = [release] if one.releases is None or release in one.releases else []
        chosen = sorted([each for each in chosen if one.has(each)], key=parse_release)
        found += [
            pytest.param(one, each, id=f"{one.id}-{each}", marks=() if release else marks(one, each, chosen))
            for each in chosen
        ]
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "one" in metafunc.fixturenames:
        metafunc.parametrize(("one", "release"), pairs(metafunc.config.getoption("--on")))


@pytest.mark.real_host
@pytest.mark.usefixtures("ignore_unawaited_coroutines")
def test_both_hosts_show_the_same(
    one: Case, release: str, tmp_path: Path, real_python, is_recorded: IsRecorded
) -> None:
    if one.refused:
        with without_handlers(), pytest.raises(NotSupported, match=re.escape(one.refused)):
            run(one, "embedded", release, tmp_path / "1")
        return
    # Both paths have the same length, because texts that quote a path may be truncated.
    with without_handlers():
        embedded = run(one, "embedded", release, tmp_path / "1")
    if is_recorded(one, release, embedded):
        return
    real_python(release)
    real = run(one, "real", release, tmp_path / "2")
    if one.known is None:
        assert embedded == real
    else:
        assert embedded != real, f"the hosts no longer differ, so the case is proven: {one.known}"


def test_cases_have_unique_ids() -> None:
    names = [one.id for one in all_cases()]
    assert sorted(set(names)) == sorted(names)
