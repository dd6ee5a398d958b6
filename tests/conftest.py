"""The real host for tests: made once, left out honestly where it cannot be had, obligatory in CI."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts.real.cache import cache_dir
from hermes_sdk.hosts.real.environments import environment

RealPython = Callable[[str], Path]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_host: runs an installed Hermes Agent, which takes network the first time")
    # Tests give themselves another HOME; environments stay where they are.
    os.environ.setdefault("HERMES_SDK_CACHE", str(cache_dir()))


@pytest.fixture(scope="session")
def real_python() -> RealPython:
    """The interpreter that has a release of Hermes Agent installed; where it cannot be had, the test is left out."""
    failures: dict[str, str] = {}

    def find(release: str) -> Path:
        if release not in failures:
            try:
                return environment(release).python
            except UnavailableError as error:
                failures[release] = error.message
        if os.environ.get("CI") == "true":
            pytest.fail(f"in CI the real host must run: {failures[release]}", pytrace=False)
        pytest.skip(f"no real host: {failures[release]}")

    return find


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests held something against the real host, and how many could not."""
    counts = {
        outcome: sum("real_host" in getattr(report, "keywords", ()) for report in terminalreporter.getreports(outcome))
        for outcome in ("passed", "failed", "skipped")
    }
    if any(counts.values()):
        told = ", ".join(f"{number} {outcome}" for outcome, number in counts.items() if number)
        terminalreporter.write_line(f"real host: {told}", yellow=bool(counts["skipped"]))
