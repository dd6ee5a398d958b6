"""Conversion of the results of the steps to failures in the order of repair."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, get_args

from hermes_sdk.check.model import Finding, Result
from hermes_sdk.compat.outcomes import Tests
from hermes_sdk.compat.testing import Tested
from hermes_sdk.hosts.staging import Ran
from hermes_sdk.manifest import Located
from hermes_sdk.verify.types import Typed
from hermes_sdk.verify.verdict import Failure, Step, StepName

_LOADING = ("HS1", "HS2")
"""Families of rules whose errors can be the reason why a plugin does not load."""

_FIRST_LOADING_RULE = "HS201"
"""A rule that does not run on a form of the plugin that the host does not find."""

_CODE = re.compile(r"HS\d{3}\b")

_FIX = "Correct the plugin, or the test if that is wrong."

Runs = dict[StepName, Ran[Tested]]

_ORDER: Sequence[StepName] = get_args(StepName)


class Project(NamedTuple):
    """A project with tests.

    Attributes:
        plugin: Its first plugin, in its first form.
        base: The directory that failures are relative to.
        newest: The release on which its tests run.
        oldest: The oldest proven release that the manifest admits.
        target: The range of the manifest, unless the settings of the check set another; empty if there is none.
    """

    plugin: Located
    base: Path
    newest: str
    oldest: str
    target: str

    @property
    def has_suite(self) -> bool:
        """Return whether the contract suite for every plugin applies."""
        one = self.plugin
        return not (one.core_tool or one.event_hook or one.shell_hook or one.portable)

    @property
    def module(self) -> str:
        """Return the path of the plugin's module."""
        one = self.plugin
        return os.fspath(one.core_tool or one.module or one.directory / "__init__.py")

    def show(self, path: str) -> str:
        """Return a path in the project relative to the base."""
        return Path(os.path.relpath(self.plugin.project / path, self.base)).as_posix()

    def format_command(self, *words: str) -> str:
        """Return a command line that runs in the project."""
        where = os.path.relpath(self.plugin.project)
        return ("" if where == "." else f"cd {shlex.quote(where)} && ") + shlex.join(words)


def judge(
    path: Path, projects: Sequence[Project], result: Result, typed: Sequence[Typed], ran: Sequence[Runs]
) -> tuple[tuple[Step, ...], tuple[Failure, ...], str]:
    """Return the steps, the failures in the order of repair, and the full output of failed tests and type checkers.

    Args:
        typed: The result of the type checker in each project.
        ran: The results of the tests in each project.
    """
    failures = [*_read_check(path, projects, result)]
    loads = all(one.step != "load" for one in failures)
    failures += [one for project, types in zip(projects, typed, strict=True) for one in _read_types(project, types)]
    for project, runs in zip(projects, ran, strict=True) if loads else ():
        failures += _read_tests(project, runs)
    ordered = tuple(sorted(failures, key=lambda one: _ORDER.index(one.step)))
    failed: set[StepName] = {one.step for one in ordered}
    steps = tuple(_describe_steps(projects, result, typed, ran, failed, loads=loads))
    logs = [types.log for types in typed if types.problems]
    if failed & {"tests", "contract suite", "minimum version", "real Hermes"}:
        logs += [f"{name}\n{run.outcome.log}" for runs in ran for name, run in runs.items()]
    return steps, ordered, "\n\n".join(logs)


def _read_check(path: Path, projects: Sequence[Project], result: Result) -> Iterator[Failure]:
    severe = ("error", "warning") if result.strict else ("error",)
    found: list[tuple[StepName, Finding]] = [
        (_choose_step(one, result), one)
        for one in sorted(result.findings, key=lambda one: (one.severity != "error", one.code))
        if one.severity in severe
    ]
    newest = {(one.path, one.line, one.code) for step, one in found if step != "minimum version"}
    for step, one in found:
        # Older releases often report the same finding with another message.
        if step != "minimum version" or (one.path, one.line, one.code) not in newest:
            only = _format_check(path, projects, result, [one.code])
            yield Failure(step, one.path, one.line, one.column, one.code, one.message, one.advice, only)
    # Most rules do not run on a plugin that does not load.
    if result.strict and all(step != "load" for step, _ in found):
        yield from _read_not_run(path, projects, result)


def _read_not_run(path: Path, projects: Sequence[Project], result: Result) -> Iterator[Failure]:
    """Yield one failure for all rules that did not run for the same reason."""
    for reason, lacking in groupby(sorted(result.not_run, key=lambda one: one.reason), lambda one: one.reason):
        rules = [*lacking]
        codes = [*dict.fromkeys(one.code for one in rules)]
        is_missing = any(one.unavailable for one in rules)
        fix = "Install the development requirements of the project." if is_missing else ""
        only = _format_check(path, projects, result, codes)
        yield Failure("check", ".", 1, 1, "", f"{', '.join(codes)} did not run: {reason}", fix, only)


def _format_check(path: Path, projects: Sequence[Project], result: Result, codes: Sequence[str]) -> str:
    """Return the command that shows the findings of some rules."""
    command = ["hermes-sdk", "check", *(["--strict"] if result.strict else [])]
    if len(projects) == 1 and projects[0].target:
        command += ["--target", projects[0].target]
    chosen = [word for code in codes for word in ("--select", code)]
    return shlex.join([*command, *chosen, *([] if path == Path() else [os.fspath(path)])])


def _choose_step(finding: Finding, result: Result) -> StepName:
    newest = result.releases[-1]
    if finding.releases and newest not in finding.releases:
        return "minimum version"
    is_loading = finding.severity == "error" and finding.code.startswith(_LOADING)
    return "load" if is_loading and not _has_loaded(result) else "check"


def _has_loaded(result: Result) -> bool:
    """Return whether every form of the plugin was found and loaded on the newest release."""
    runs = [one.outcome["report"]["status"] for one in result.runs if one.release == result.releases[-1]]
    was_found = all(one.code != _FIRST_LOADING_RULE for one in result.not_run)
    return bool(runs) and was_found and "failed" not in runs


def _read_types(project: Project, typed: Typed) -> Iterator[Failure]:
    for one in typed.problems:
        command = project.format_command(typed.checker, *([one.path] if one.path != "." else []))
        path = project.show(one.path)
        yield Failure("types", path, one.line, one.column, "", one.message, "Correct the types.", command)


def _read_tests(project: Project, runs: Runs) -> Iterator[Failure]:
    """Yield the failures in each run of the tests, without tests that failed in an earlier run."""
    known = set[str]()
    for name, ran in runs.items():
        tested = ran.outcome
        options = {"minimum version": ("--hermes-release", ran.release), "real Hermes": ("--hermes-host", "real")}
        for failed in tested.failures:
            if failed.test not in known:
                step: StepName = "contract suite" if name == "tests" and failed.is_suite else name
                code = _CODE.match(failed.reason)
                command = project.format_command("pytest", failed.test, *options.get(name, ()))
                if failed.is_added:
                    command = f"hermes-sdk explain {code[0]}" if code else project.format_command("hermes-sdk", "show")
                reason = failed.reason.removeprefix(f"{code[0]}, ") if code else failed.reason
                place = project.show(failed.path or project.module), failed.line, 1
                yield Failure(step, *place, code[0] if code else "", reason, _choose_fix(failed.advice, name), command)
        known |= {failed.test for failed in tested.failures}
        whole = project.format_command("pytest", *options.get(name, ()))
        if tested.problem and (tested.tests is None or tested.tests.failed > len(tested.failures)):
            yield Failure(name, project.show("."), 1, 1, "", tested.problem, "Read the log.", whole)
        if tested.tests and tested.tests.unsupported:
            first = tested.tests.unsupported[0]
            number = len(tested.tests.unsupported)
            reason = f"the embedded host does not model what the tests need: {ran.reason}; tests affected: {number}"
            yield Failure(name, project.show(first.partition("::")[0]), 1, 1, "", reason, ran.missing, whole)


def _choose_fix(advice: str, name: StepName) -> str:
    if name == "minimum version":
        return "Support this release, or raise `requires_hermes` in the manifest."
    return f"{_FIX} {advice}".strip()


def _describe_steps(
    projects: Sequence[Project],
    result: Result,
    typed: Sequence[Typed],
    ran: Sequence[Runs],
    failed: Collection[StepName],
    *,
    loads: bool,
) -> Iterator[Step]:
    missing = [one.missing for one in typed if one.missing]
    details: dict[StepName, str] = {
        "load": f"Hermes {' to '.join(dict.fromkeys((result.releases[0], result.releases[-1])))}",
        "check": "; ".join(_describe_check(result, loads=loads)),
        "types": ", ".join(dict.fromkeys(one.checker for one in typed)),
        "tests": _count(ran, "tests"),
        "contract suite": "",
        "minimum version": ", ".join(dict.fromkeys(one.oldest for one in projects)),
        "real Hermes": _count(ran, "real Hermes"),
    }
    no_tests = "" if any(_has_run(one) for one in ran) else "the project has no tests"
    not_run: dict[StepName, str] = {
        "types": missing[0] if missing else "",
        "tests": no_tests,
        "contract suite": no_tests
        or ("" if any(one.has_suite for one in projects) else "there is none for this kind of plugin"),
        "real Hermes": "" if any("real Hermes" in one for one in ran) else "add --real to run the tests there",
    }
    independent = ("load", "types")
    for name in _ORDER:
        why = "" if loads or name in independent else "the plugin does not load"
        why = why or not_run.get(name, "")
        if name in failed:
            yield Step(name, "failed", details[name])
        else:
            yield Step(name, "not run" if why else "passed", why or details[name])


def _describe_check(result: Result, *, loads: bool) -> Iterator[str]:
    """Count the rules, and the errors and warnings of the step; list the rules that had to run but did not."""
    errors = [one for one in result.findings if one.severity == "error"]
    number = sum(_choose_step(one, result) == "check" for one in errors)
    yield f"{result.coverage.run} rules"
    if number:
        yield f"errors: {number}"
    yield f"warnings: {result.number('warning')}"
    if result.strict and result.not_run and loads:
        yield f"not run: {', '.join(dict.fromkeys(one.code for one in result.not_run))}"


def _has_run(runs: Runs) -> bool:
    """Return whether a project has tests."""
    return runs["tests"].outcome.tests != Tests()


def _count(ran: Sequence[Runs], name: StepName) -> str:
    """Count the tests of all projects in a run, and name its releases."""
    runs = [one[name] for one in ran if name in one]
    tests = [one.outcome.tests for one in runs if one.outcome.tests]
    failed, passed = sum(one.failed for one in tests), sum(one.passed for one in tests)
    counts = f"{failed} failed, {passed} passed" if failed else f"{passed} passed"
    return f"{counts} on {', '.join(dict.fromkeys(one.release for one in runs))}" if runs else ""
