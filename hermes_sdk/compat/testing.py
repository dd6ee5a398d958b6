"""Run of a plugin's tests in a cell."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.compat.cells import Job
from hermes_sdk.compat.loading import Loaded, load_here, variables
from hermes_sdk.compat.outcomes import Tests
from hermes_sdk.hosts.processes import fork
from hermes_sdk.hosts.processes.process import Finished
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.testing.captured_output import FULL_LOGS
from hermes_sdk.testing.fixtures import UNSUPPORTED
from hermes_sdk.testing.suites.default import PLUGIN_SUITE, DefaultSuite, is_suite

_GRACE = 5.0
_PATTERNS = ("test_*.py", "*_test.py")
_NOT_SEARCHED = frozenset({"node_modules", "site-packages", "__pycache__"})
_CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "setup.cfg")

# Exit codes: passed, failed, interrupted (for example by files that cannot be collected), nothing collected.
_RAN = (0, 1, 2, 5)

_NOTHING: dict[str, Any] = {"code": None, "tests": Tests().as_json(), "reached": [], "failures": []}
_OUTCOMES = ("passed", "failed", "skipped", "unsupported")


_MAX_REASON = 500
"""Maximum length of a reason: an assertion message may contain a whole document."""

# Formats of a place in the output of pytest and in tracebacks.
_PLACE = re.compile(
    r'^(?P<path>[^\s:]+\.py):(?P<line>\d+): |File "(?P<file>[^"]+)", line (?P<number>\d+)', re.MULTILINE
)


class Failure(NamedTuple):
    """A failed test.

    Attributes:
        test: Its node id.
        path: The innermost file of the project in the traceback, relative to the project; empty if there is none.
        reason: Why it failed, on one line.
        advice: What to do if the behaviour is intended; empty if the message does not say.
        is_suite: Whether the test belongs to a contract suite.
        is_added: Whether the test belongs to `DefaultSuite`, which no project contains.
    """

    test: str
    path: str
    line: int
    reason: str
    advice: str
    is_suite: bool
    is_added: bool


class Tested(NamedTuple):
    """Result of a plugin's tests.

    Attributes:
        tests: The counts; None if pytest could not start.
        problem: A problem other than failed tests, or None.
        log: The captured output.
        loaded: The result of loading the plugin first; None if it was not loaded.
        reached: The features that the tests reached and that the embedded host does not model.
        failures: The tests that failed.
    """

    tests: Tests | None
    problem: str | None = None
    log: str = ""
    loaded: Loaded | None = None
    reached: Sequence[str] = ()
    failures: Sequence[Failure] = ()


def run_tests(job: Job, *, load_before: bool = False, add_suite: bool = False) -> Tested:
    """Run the tests of a plugin's project in a fork of this process, with a temporary HOME and without API keys.

    Args:
        add_suite: Whether to add the suite for all plugins to a project without a contract suite.
        load_before: Whether to load the plugin on the real host first; without that host, no test runs. `loaded` is
            None if there are no tests, or if they end the process.
    """
    project = Path(job.project)
    if not _has_tests(project):
        return Tested(Tests())
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        home = scratch / "home"
        home.mkdir()
        arguments = [
            *_pytest_arguments(project, scratch),
            "--hermes-host",
            job.cell.host,
            "--hermes-release",
            job.cell.release,
            "--hermes-form",
            job.form,
        ]
        finished = fork.run(
            _load_and_test if load_before else _run_pytest,
            (job, arguments, add_suite),
            environment=variables(job.cell, scratch, home),
            cwd=project,
            time_limit=job.time_limit,
            grace=_GRACE,
        )
    loaded = (finished.value or {}).get("loaded")
    return _interpret_run(finished, job.time_limit)._replace(loaded=Loaded(**loaded) if loaded else None)


def _has_tests(project: Path) -> bool:
    """Return whether pytest would find tests; a project with its own configuration may name them arbitrarily."""
    if _is_configured(project):
        return True
    for root, directories, _ in os.walk(project):
        directories[:] = [name for name in directories if not name.startswith(".") and name not in _NOT_SEARCHED]
        directories[:] = [name for name in directories if not Path(root, name, "pyvenv.cfg").exists()]
        if any(True for pattern in _PATTERNS for _ in Path(root).glob(pattern)):
            return True
    return False


def _is_configured(project: Path) -> bool:
    pyproject = project / "pyproject.toml"
    if pyproject.is_file() and "[tool.pytest" in pyproject.read_text(encoding="utf-8", errors="replace"):
        return True
    return any((project / name).is_file() for name in _CONFIGURATIONS)


def _pytest_arguments(project: Path, scratch: Path) -> list[str]:
    """Return the arguments of pytest, which keep settings of parent directories from being used."""
    arguments = ["-q", "--color=no", "-p", "no:cacheprovider"]
    if _is_configured(project):
        return arguments
    settings = scratch / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")
    return [*arguments, "-c", str(settings), "--rootdir", str(project), "--confcutdir", str(project), str(project)]


def _load_and_test(request: tuple[Job, list[str], bool]) -> dict[str, Any]:
    loaded = load_here(request[0])
    return {**(_run_pytest(request) if loaded.available else _NOTHING), "loaded": loaded._asdict()}


def _run_pytest(request: tuple[Job, list[str], bool]) -> dict[str, Any]:
    import pytest

    # Servers must end with this process: those of all releases would use a gigabyte of memory for minutes.
    StagedHome.servers_stay = False
    job, arguments, add_suite = request
    sys.argv = ["pytest", *arguments]
    results = Results(Path(job.project))
    code = int(pytest.main(arguments, plugins=[results, *([DefaultSuite()] if add_suite else [])]))
    return {
        "code": code,
        "tests": results.tests().as_json(),
        "reached": results.reached,
        "failures": results.list_failures(),
    }


class Results:
    """Plugin for pytest that collects the results of tests.

    Args:
        project: The directory with the tests.

    Attributes:
        reached: The features that the tests reached and that the embedded host does not model.
    """

    def __init__(self, project: Path) -> None:
        self.reached: list[str] = []
        self._project = project
        self._outcomes: dict[str, str] = {}
        self._failures: dict[str, Failure] = {}
        self._suites: set[str] = set()

    def pytest_configure(self, config: Any) -> None:
        """Do not shorten captured logs: the output is itself a log."""
        config.stash[FULL_LOGS] = True

    def tests(self) -> Tests:
        """Return the results so far."""
        passed, failed, skipped, unsupported = (self._list_tests(one) for one in _OUTCOMES)
        return Tests(len(passed), len(failed), len(skipped), failed, unsupported)

    def list_failures(self) -> list[Failure]:
        """Return the failures of failed tests."""
        return [one for name, one in self._failures.items() if self._outcomes[name] == "failed"]

    def pytest_itemcollected(self, item: Any) -> None:
        """Record whether a test belongs to a contract suite."""
        if is_suite(getattr(item, "cls", None)):
            self._suites.add(item.nodeid)

    def _list_tests(self, outcome: str) -> tuple[str, ...]:
        return tuple(name for name, one in self._outcomes.items() if one == outcome)

    def pytest_collectreport(self, report: Any) -> None:
        """Count files that cannot be collected as failed."""
        if report.failed:
            self._outcomes[report.nodeid] = "failed"
            self._failures[report.nodeid] = _describe_failure(report, self._project, is_suite=False)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test once, whichever phase fails; an unsupported one counts as neither passed nor failed."""
        reached = [text for name, text in report.user_properties if name == UNSUPPORTED]
        if reached and report.when == "teardown":
            self._outcomes[report.nodeid] = "unsupported"
            self.reached += reached
        elif report.failed or report.skipped or report.when == "call":
            self._outcomes[report.nodeid] = report.outcome
            if report.failed:
                failed = _describe_failure(report, self._project, is_suite=report.nodeid in self._suites)
                self._failures.setdefault(report.nodeid, failed)


def _describe_failure(report: Any, project: Path, *, is_suite: bool) -> Failure:
    text: str = report.longreprtext
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = [line for line in text.splitlines() if line.strip()] or ["The test failed without a message."]
    raised = next((line.removeprefix("E").strip() for line in lines if line.startswith("E  ")), lines[0].strip())
    path, line = _find_place(text, project) or ("", 1)
    location = getattr(report, "location", None)
    if not path and location and (project / location[0]).resolve().is_relative_to(project.resolve()):
        path, line = location[0], (location[1] or 0) + 1
    return Failure(
        report.nodeid,
        path,
        line,
        (crash.message.partition("\n")[0] if crash else raised).removeprefix("Failed: ")[:_MAX_REASON],
        next((line.strip() for line in lines if line.startswith("If this is")), ""),
        is_suite,
        is_added=is_suite and report.nodeid.partition("::")[0].endswith(PLUGIN_SUITE.name),
    )


def _find_place(text: str, project: Path) -> tuple[str, int] | None:
    """Return the last place in a project's files that a traceback names."""
    root = project.resolve()
    for found in reversed([*_PLACE.finditer(text)]):
        file = (root / (found["path"] or found["file"])).resolve()
        if file.is_relative_to(root) and file.is_file() and not _NOT_SEARCHED.intersection(file.parts):
            return file.relative_to(root).as_posix(), int(found["line"] or found["number"])
    return None


def _interpret_run(finished: Finished, time_limit: float) -> Tested:
    value: dict[str, Any] = finished.value or _NOTHING
    tests, reached = Tests.read(value["tests"]), value["reached"]
    failures = tuple(Failure(*one) for one in value["failures"])
    if finished.ended == "answered":
        if value["code"] in _RAN:
            return Tested(tests, next(iter(reached), None), finished.stdout, reached=reached, failures=failures)
        lines = [line for line in finished.stdout.splitlines() if line.strip()] or [f"exit code {value['code']}"]
        message = next((line for line in lines if line.startswith("ERROR")), lines[-1])
        return Tested(None, f"pytest could not run: {message}", finished.stdout)
    problem = {
        "time limit": f"the tests timed out after {time_limit:g} s",
        "signal": f"the tests were killed by signal {finished.status}",
        "exited": f"the tests ended pytest with exit code {finished.status}",
    }[finished.ended]
    # The test that did not finish counts as failed.
    counted = replace(tests, failed=tests.failed + 1)
    return Tested(counted, problem, finished.stdout, reached=reached, failures=failures)
