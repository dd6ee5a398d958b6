"""Scenarios on the embedded and the real host, compared event by event.

As for cases, the real host runs only without a valid recorded outcome.
"""

from functools import cache

import pytest
from conformance.outcomes import IsRecorded
from conformance.whole_turns import WholeTurn, applies, play, whole_turns

from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import (
    Difference,
    ExpectedDifference,
    Trace,
    compare,
    compared_events,
    expected_differences,
    format_value,
)

RELEASES = ("0.19.0", "0.20.2", "0.22.2")

# All scenarios run on the newest release. These, whose behaviour changed most, also run on the oldest.
OFTEN = {"call_blocked", "commands_and_new_session", "context_injected", "delegation", "one_tool", "types_of_results"}


def pairs() -> list[object]:
    found = []
    for one in whole_turns():
        for release in RELEASES:
            if not applies(one, release):
                continue
            often = release == RELEASES[-1] or (release == RELEASES[0] and one.name in OFTEN)
            marks = () if often else pytest.mark.slow
            found.append(pytest.param(one, release, id=f"{one.name}-{release}", marks=marks))
    return found


@cache
def play_once(one: WholeTurn, kind: HostKind, release: str) -> Trace:
    return play(one, kind, release)


def format_differences(differences: list[Difference]) -> str:
    return "\n".join(
        f"{one.event} {one.orders} {one.path}: embedded {format_value(one.left)}, real {format_value(one.right)}"
        for one in differences
    )


@pytest.mark.real_host
@pytest.mark.parametrize(("one", "release"), pairs())
def test_both_hosts_show_the_same_trace(one: WholeTurn, release: str, real_python, is_recorded: IsRecorded) -> None:
    embedded = play_once(one, "embedded", release)
    assert embedded.problems == ()
    if is_recorded(one, release, compared_events(embedded)):
        return
    real_python(release)
    real = play_once(one, "real", release)
    assert real.problems == ()
    assert format_differences(compare(embedded, real)) == ""


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("one", expected_differences(), ids=lambda one: f"{one.key}-{one.seen_in}")
def test_each_expected_difference_is_needed(one: ExpectedDifference, real_python) -> None:
    release = one.since or "0.19.0"
    real_python(release)
    others = [other for other in expected_differences() if other is not one]
    embedded, real = (play_once(WholeTurn(one.seen_in), kind, release) for kind in ("embedded", "real"))
    assert compare(embedded, real, others) != []
