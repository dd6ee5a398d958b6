"""Whole turns: the same scenario on the embedded host and on the real one, compared event by event."""

from functools import cache
from pathlib import Path

import pytest
from conformance.case import without_handlers

from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import (
    Difference,
    ExpectedDifference,
    Trace,
    compare,
    expected_differences,
    format_value,
    play_in_process,
    read_scenario,
)

FOLDER = Path(__file__).with_name("scenarios")
RELEASES = ("0.16.0", "0.18.2", "0.19.0")

# Every run shows all scenarios on the newest release, and these on the oldest, where most is different.
OFTEN = {
    "0.16.0": {
        "call_blocked",
        "commands_and_new_session",
        "context_injected",
        "delegation",
        "one_tool",
        "types_of_results",
    }
}

# Scenarios about what came later than the oldest of these releases.
SINCE = {"files_edited": "0.18.2"}


def pairs() -> list[object]:
    found = []
    for name in sorted(path.stem for path in FOLDER.glob("*.yaml")):
        for release in RELEASES:
            if release < SINCE.get(name, ""):
                continue
            often = release == RELEASES[-1] or name in OFTEN.get(release, ())
            marks = () if often else pytest.mark.slow
            found.append(pytest.param(name, release, id=f"{name}-{release}", marks=marks))
    return found


@cache
def played(name: str, kind: HostKind, release: str) -> Trace:
    with without_handlers():
        return play_in_process(read_scenario(FOLDER / f"{name}.yaml"), kind, release)


def told(differences: list[Difference]) -> str:
    return "\n".join(
        f"{one.event} {one.orders} {one.path}: embedded {format_value(one.left)}, real {format_value(one.right)}"
        for one in differences
    )


@pytest.mark.real_host
@pytest.mark.parametrize(("name", "release"), pairs())
def test_both_hosts_show_the_same_trace(name: str, release: str, real_python) -> None:
    real_python(release)
    embedded, real = played(name, "embedded", release), played(name, "real", release)
    assert embedded.problems == real.problems == ()
    assert told(compare(embedded, real)) == ""


@pytest.mark.real_host
@pytest.mark.parametrize("one", expected_differences(), ids=lambda one: f"{one.key}-{one.seen_in}")
def test_each_exception_is_needed(one: ExpectedDifference, real_python) -> None:
    release = one.since or "0.19.0"
    real_python(release)
    others = [other for other in expected_differences() if other is not one]
    embedded, real = (played(one.seen_in, kind, release) for kind in ("embedded", "real"))
    assert compare(embedded, real, others) != []
