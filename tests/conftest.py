"""Options, fixtures and the summary of all tests; tests without a real host are skipped, but fail in CI."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from types import CoroutineType

import pytest
from _pytest.pytester import SysModulesSnapshot
from hypothesis import settings

from hermes_sdk.cache import cache_dir
from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts.environments import environment

RealPython = Callable[[str], Path]
Tally = Callable[[str, Counter[str]], None]

pytest_plugins = ["pytester"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ask-real", action="store_true", help="run each case on the real host, recorded or not")


MEMORY = Path("/dev/shm")
ENOUGH = 4 * 1024**3
"""Number of bytes of shared memory that must be free; most machines have them, but most containers do not."""


# Examples may take long on a busy machine, and each run has the same ones; `make fuzz` draws new ones.
settings.register_profile("reproducible", deadline=None, derandomize=True)
settings.load_profile("reproducible")


def pytest_configure(config: pytest.Config) -> None:
    _keep_files_in_memory()
    config.addinivalue_line("markers", "real_host: runs an installed Hermes Agent, which takes network the first time")
    # Tests change HOME; environments of hosts must stay in the user's cache.
    os.environ.setdefault("HERMES_SDK_CACHE", str(cache_dir()))


def _keep_files_in_memory() -> None:
    """Put temporary files into memory if it is large enough, because hosts and writers wait for the disk."""
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


os.environ.setdefault("HERMES_SDK_SOURCES", str(Path(__file__).with_name("sources.toml")))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection while tests are collected, and freeze the 20,000 collected items.

    Collection takes a quarter less time, and each `gc.collect` in a test a third of a second less.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


@pytest.hookimpl(trylast=True)  # Runs after the tests are put in random order.
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests with real hosts, because each worker that runs one of them starts a server."""
    items.sort(key=lambda item: "real_host" not in item.keywords)


@pytest.fixture
def ignore_unawaited_coroutines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore Python's warning about a coroutine that a plugin returned and the host dropped."""
    report = sys.unraisablehook

    def report_others(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.object, CoroutineType):
            report(unraisable)

    # Do not use a warnings filter: `catch_warnings` in another thread may restore the filters of an earlier test.
    monkeypatch.setattr(sys, "unraisablehook", report_others)


@pytest.fixture(scope="session")
def real_python() -> RealPython:
    """Return a function that returns the Python of a release of Hermes Agent, or skips the test."""
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


@pytest.fixture
def pytester(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """Return a pytester whose in-process runs forget only the modules of its own project.

    Other modules, such as `yaml`, would have two versions of each class if they were imported again.
    """
    projects = str(tmp_path_factory.getbasetemp())

    def is_kept(name: str) -> bool:
        file = getattr(sys.modules[name], "__file__", None)
        return file is not None and not file.startswith(projects)

    monkeypatch.setattr("_pytest.pytester.SysModulesSnapshot", lambda preserve: SysModulesSnapshot(is_kept))
    return request.getfixturevalue("pytester")


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Tally:
    """Return a function that counts outcomes over all tests, for a line such as ``<what>: 2 equal, 1 unsupported``."""
    return lambda what, counts: record_property("tally", [what, dict(counts)])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the number of tests on the real host by outcome, and all tallies."""
    counts = Counter(
        "as recorded" if ("as recorded", True) in report.user_properties else outcome
        for outcome in ("passed", "failed", "skipped")
        for report in terminalreporter.getreports(outcome)
        if "real_host" in getattr(report, "keywords", ())
    )
    if counts:
        text = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
        terminalreporter.write_line(f"real host: {text}", yellow=bool(counts["skipped"]))
    for what, tallied in _list_tallies(terminalreporter).items():
        terminalreporter.write_line(f"{what}: {', '.join(f'{tallied[name]} {name}' for name in sorted(tallied))}")


def _list_tallies(terminalreporter: pytest.TerminalReporter) -> dict[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {}
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for name, value in report.user_properties:
            if name == "tally":
                what, counts = value
                sums.setdefault(what, Counter()).update(counts)
    return sums
