"""Whole turns: the same scenario on the embedded host and on the real one, compared event by event."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from conformance.case import without_handlers
from conformance.raw_keys import name_sentences, question_text

from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import (
    Difference,
    ExpectedDifference,
    Scenario,
    Trace,
    compare,
    expected_differences,
    format_value,
    play_in_process,
    read_scenario,
)

FOLDER = Path(__file__).with_name("scenarios")
RELEASES = ("0.16.0", "0.18.2", "0.19.0", "0.20.2", "0.22.2")

# Every run shows all scenarios on the newest release, and on the oldest these, in which most changed.
OFTEN = {"call_blocked", "commands_and_new_session", "context_injected", "delegation", "one_tool", "types_of_results"}

# Scenarios about what came later than the oldest of these releases, or ended before the newest.
SINCE = {
    "engine_compresses_nothing": "0.19.0",
    "files_edited": "0.18.2",
    "gateway_status": "0.18.2",
    "iteration_limit_with_tools": "0.22.2",
}
UNTIL = {"gateway_iteration_limit": "0.22.2", "iteration_limit": "0.22.2"}


def pairs() -> list[object]:
    found = []
    alone = [path.stem for path in FOLDER.glob("*.yaml")]
    for name in sorted([*alone, *(path.parent.name for path in FOLDER.glob("*/scenario.yaml"))]):
        for release in RELEASES:
            if release < SINCE.get(name, "") or release >= UNTIL.get(name, "1"):
                continue
            often = release == RELEASES[-1] or (release == RELEASES[0] and name in OFTEN)
            marks = () if often else pytest.mark.slow
            found.append(pytest.param(name, release, id=f"{name}-{release}", marks=marks))
    return found


@cache
def played(name: str, kind: HostKind, release: str) -> Trace:
    folder = FOLDER / name / "scenario.yaml"
    with without_handlers():
        read = read_scenario(folder if folder.exists() else FOLDER / f"{name}.yaml")
        trace = play_in_process(with_question(read, kind, release), kind, release)
    return with_named_sentences(trace)


def with_question(scenario: Scenario, kind: HostKind, release: str) -> Scenario:
    """Let the messages that wait for the question about a command wait for what the host asks."""
    messages = tuple(
        {**one, "wait_send": question_text(kind, release)} if one.get("wait_send") == "/approve" else one
        for one in scenario.messages
    )
    return replace(scenario, messages=messages)


def with_named_sentences(trace: Trace) -> Trace:
    return replace(trace, events=tuple(name_sentences(list(trace.events), trace.release)))


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


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("one", expected_differences(), ids=lambda one: f"{one.key}-{one.seen_in}")
def test_each_exception_is_needed(one: ExpectedDifference, real_python) -> None:
    release = one.since or "0.19.0"
    real_python(release)
    others = [other for other in expected_differences() if other is not one]
    embedded, real = (played(one.seen_in, kind, release) for kind in ("embedded", "real"))
    assert compare(embedded, real, others) != []
