"""Fixtures and options of the conformance tests; ``--record-outcomes`` records the outcome of each case."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conformance.case import all_cases
from conformance.outcomes import FAILED, FILE, Compared, IsRecorded, digest_comparison, read_outcomes, record_outcomes
from conformance.whole_turns import whole_turns


@pytest.fixture
def is_recorded(pytestconfig: pytest.Config, record_property: Callable[[str, object], None]) -> IsRecorded:
    """Return a function that checks whether a recorded outcome is valid, and otherwise makes the test record one."""
    ask_real = pytestconfig.getoption("--ask-real") or pytestconfig.getoption("--record-outcomes")

    def holds(one: Compared, release: str, shown: object) -> bool:
        digest = digest_comparison(one, release, shown)
        holds = not ask_real and digest == read_outcomes().get(one.id, {}).get(release)
        record_property(*(("as recorded", True) if holds else ("comparison", [one.id, release, digest])))
        return holds

    return holds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-outcomes", action="store_true", help=f"imply --ask-real, and write {FILE.name}")
    parser.addoption("--on", metavar="RELEASE", help="run the cases that name this release, or none, on it alone")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--record-outcomes", default=False):
        return
    ended = {
        (name, release): digest if outcome == "passed" else FAILED
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, release, digest in [value for key, value in report.user_properties if key == "comparison"]
    }
    record_outcomes([*all_cases(), *whole_turns()], ended)
    terminalreporter.write_line(f"recorded {len(ended)} outcomes in {FILE.name}")
