"""The embedded host against the real one: the same cases on both, compared field by field."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from conformance.case import RELEASES, Case, all_cases, run, without_handlers

from hermes_sdk.contract import parse_release

# Its code is that of 0.15.2, and no change has it for a side: not worth an environment in each run.
SLOW = ("0.15.1",)

OFTEN = ("0.13.0", "0.19.0")
"""The releases on which every run shows the cases that name none: the oldest, and the newest of upstream."""


def marks(one: Case, release: str) -> object:
    """A gateway takes two seconds on a real host, so every run shows it on one release; 0.22.2 takes twice as long."""
    often = (OFTEN[-1:] if "record" in one.options else OFTEN) if one.releases is None else _ends(one.releases)
    seldom = release not in often
    return pytest.mark.slow if release in SLOW or seldom else ()


def _ends(releases: Sequence[str]) -> set[str]:
    """The releases that every run shows a case on that names them: the oldest and the newest."""
    ordered = sorted(releases, key=parse_release)
    return {ordered[0], ordered[-1]}


FORKS = ("0.20.2", "0.22.2")
"""The releases that a fork stands for; a case that the newest release of upstream has is shown on them too."""


def pairs(release: str | None) -> list[object]:
    """Each case with each of its releases; with `release`, those of the newest one and its own with that instead."""
    found = []
    for one in all_cases():
        chosen = [*(one.releases or RELEASES)]
        if RELEASES[-1] in chosen:
            chosen = [*dict.fromkeys([*chosen, *FORKS, *([release] if release else [])])]
        if release:
            chosen = [each for each in chosen if each == release]
        found += [
            pytest.param(one, each, id=f"{one.id}-{each}", marks=() if release else marks(one, each))
            for each in chosen
            if one.has(each)
        ]
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "one" in metafunc.fixturenames:
        metafunc.parametrize(("one", "release"), pairs(metafunc.config.getoption("--on")))


@pytest.mark.real_host
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_both_hosts_show_the_same(one: Case, release: str, tmp_path: Path, real_python) -> None:
    real_python(release)
    # Texts that quote a path may be cut, so both paths have one length.
    with without_handlers():
        embedded = run(one, "embedded", release, tmp_path / "1")
    real = run(one, "real", release, tmp_path / "2")
    if one.known is None:
        assert embedded == real
    else:
        assert embedded != real, f"the hosts no longer differ, so the case is proven: {one.known}"


def test_cases_have_names_of_their_own() -> None:
    names = [one.id for one in all_cases()]
    assert sorted(set(names)) == sorted(names)
