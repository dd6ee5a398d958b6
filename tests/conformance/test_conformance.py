"""The embedded host against the real one: the same cases on both, compared field by field.

Where the recorded outcome holds, the real host does not run again, except with ``--ask-real`` or ``--record-outcomes``.
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
    """Every run shows a case on the newest of its releases and on the oldest, and where it never passed as it is now.

    A gateway is shown on one, the newest that the case names: a real one takes a second or two.
    """
    often = {releases[-1]} if "record" in one.options else {releases[0], releases[-1]}
    passed = has_passed(one, release, read_outcomes())
    return pytest.mark.slow if passed and release not in often else ()


def pairs(release: str | None) -> list[object]:
    """Each case with each of its releases; with `release`, the cases that name it or none, on that one alone."""
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
    # Texts that quote a path may be cut, so both paths have one length.
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


def test_cases_have_names_of_their_own() -> None:
    names = [one.id for one in all_cases()]
    assert sorted(set(names)) == sorted(names)
