"""`pytest tests/conformance --record-outcomes` writes down how each case ended; see `outcomes`."""

from __future__ import annotations

import os
import tempfile

import pytest
from conformance.case import all_cases
from conformance.outcomes import FILE, record_outcomes

MEMORY = "/dev/shm"


@pytest.fixture(autouse=True)
def _homes_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep homes in memory where the machine can: a host waits for the disk at every write to its databases."""
    if os.access(MEMORY, os.W_OK):
        monkeypatch.setattr(tempfile, "tempdir", MEMORY)


@pytest.fixture(scope="session")
def ask_real(pytestconfig: pytest.Config) -> bool:
    """Whether to run the real host although a recorded outcome holds."""
    return bool(pytestconfig.getoption("--ask-real") or pytestconfig.getoption("--record-outcomes"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-outcomes", action="store_true", help=f"imply --ask-real, and write {FILE.name}")
    parser.addoption("--on", metavar="RELEASE", help="run the cases of the newest proven release on this one instead")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--record-outcomes", default=False):
        return
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    told = [value for report in reports for key, value in report.user_properties if key == "comparison"]
    ended = {(name, release): how for name, release, how in told}
    record_outcomes(all_cases(), ended)
    terminalreporter.write_line(f"recorded {len(ended)} outcomes in {FILE.name}")
