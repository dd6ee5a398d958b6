"""Runs the tests of a plugin in a cell."""

from __future__ import annotations

import os
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
from hermes_sdk.testing.fixtures import UNSUPPORTED

_GRACE = 5.0
_PATTERNS = ("test_*.py", "*_test.py")
_NOT_SEARCHED = frozenset({"node_modules", "site-packages", "__pycache__"})
_CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "setup.cfg")

# Passed, failed, interrupted (as by files that cannot be collected), nothing collected.
_RAN = (0, 1, 2, 5)

_NOTHING: dict[str, Any] = {"code": None, "tests": Tests().as_json(), "reached": []}
_OUTCOMES = ("passed", "failed", "skipped", "unsupported")


class Tested(NamedTuple):
    """Result of a plugin's tests.

    Attributes:
        tests: The counts; None when pytest could not start.
        problem: What went wrong besides tests that fail, or None.
        log: What was printed.
        loaded: How the plugin loaded before; None when it was not loaded.
        reached: What the tests touched that the embedded host does not model.
    """

    tests: Tests | None
    problem: str | None = None
    log: str = ""
    loaded: Loaded | None = None
    reached: Sequence[str] = ()


def run_tests(job: Job, *, load_before: bool = False) -> Tested:
    """Run the tests of a plugin's project in a fork of this process, with a temporary HOME and no keys.

    Args:
        load_before: Whether that process first loads the plugin on the real host, and runs no test without that host.
            The result lacks how that went when there are no tests, or when they end the process.
    """
    project = Path(job.project)
    if not _has_tests(project):
        return Tested(Tests())
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        home = scratch / "home"
        home.mkdir()
        arguments = [
            *_arguments(project, scratch),
            "--hermes-host",
            job.cell.host,
            "--hermes-release",
            job.cell.release,
            "--hermes-form",
            job.form,
        ]
        done = fork.run(
            _load_and_test if load_before else _pytest,
            (job, arguments),
            environment=variables(job.cell, scratch, home),
            cwd=project,
            time_limit=job.time_limit,
            grace=_GRACE,
        )
    loaded = (done.value or {}).get("loaded")
    return _judge_run(done, job.time_limit)._replace(loaded=Loaded(**loaded) if loaded else None)


def _has_tests(project: Path) -> bool:
    """Return whether pytest would find something; a project that configures it may call its tests anything."""
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


def _arguments(project: Path, scratch: Path) -> list[str]:
    """The arguments of pytest; a project without settings of its own gets none of a directory above it."""
    arguments = ["-q", "--color=no", "-p", "no:cacheprovider"]
    if _is_configured(project):
        return arguments
    settings = scratch / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")
    return [*arguments, "-c", str(settings), "--rootdir", str(project), "--confcutdir", str(project), str(project)]


def _load_and_test(request: tuple[Job, list[str]]) -> dict[str, Any]:
    loaded = load_here(request[0])
    return {**(_pytest(request) if loaded.available else _NOTHING), "loaded": loaded._asdict()}


def _pytest(request: tuple[Job, list[str]]) -> dict[str, Any]:
    import pytest

    # Those of all releases would hold a gigabyte for minutes.
    StagedHome.servers_stay = False
    _, arguments = request
    sys.argv = ["pytest", *arguments]
    results = Results()
    code = int(pytest.main(arguments, plugins=[results]))
    return {"code": code, "tests": results.tests().as_json(), "reached": results.reached}


class Results:
    """Collects how tests end while pytest runs them.

    Attributes:
        reached: What they touched that the embedded host does not model.
    """

    def __init__(self) -> None:
        self.reached: list[str] = []
        self._outcomes: dict[str, str] = {}

    def tests(self) -> Tests:
        """Return what was collected so far."""
        passed, failed, skipped, unsupported = (self._named(one) for one in _OUTCOMES)
        return Tests(len(passed), len(failed), len(skipped), failed, unsupported)

    def _named(self, outcome: str) -> tuple[str, ...]:
        return tuple(name for name, one in self._outcomes.items() if one == outcome)

    def pytest_collectreport(self, report: Any) -> None:
        """Count what cannot be collected."""
        if report.failed:
            self._outcomes[report.nodeid] = "failed"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test once, whichever of its phases fails; an unsupported one shows neither success nor failure."""
        reached = [text for name, text in report.user_properties if name == UNSUPPORTED]
        if reached and report.when == "teardown":
            self._outcomes[report.nodeid] = "unsupported"
            self.reached += reached
        elif report.failed or report.skipped or report.when == "call":
            self._outcomes[report.nodeid] = report.outcome


def _judge_run(done: Finished, time_limit: float) -> Tested:
    value: dict[str, Any] = done.value or _NOTHING
    tests, reached = Tests.read(value["tests"]), value["reached"]
    if done.ended == "answered":
        if value["code"] in _RAN:
            return Tested(tests, next(iter(reached), None), done.stdout, reached=reached)
        lines = [line for line in done.stdout.splitlines() if line.strip()] or [f"exit code {value['code']}"]
        said = next((line for line in lines if line.startswith("ERROR")), lines[-1])
        return Tested(None, f"pytest could not run: {said}", done.stdout)
    problem = {
        "time limit": f"the tests timed out after {time_limit:g} s",
        "signal": f"the tests were killed by signal {done.status}",
        "exited": f"the tests ended pytest with exit code {done.status}",
    }[done.ended]
    # The test that never came to its end failed, too.
    return Tested(replace(tests, failed=tests.failed + 1), problem, done.stdout, reached=reached)
