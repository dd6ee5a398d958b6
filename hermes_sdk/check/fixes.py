"""Fixes as transactions: applied to a copy of the project and checked before any file is written."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Finding, Result
from hermes_sdk.check.options import Options
from hermes_sdk.check.repair import RepairResult, repair
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.manifest.core_tool import is_core_tool

_ROUNDS = 10
_NOT_COPIED = ("__pycache__", ".git", ".venv", "venv", "node_modules", ".tox", ".nox")


class Plan(NamedTuple):
    """Changes that repair a plugin.

    Attributes:
        before: The result of the check before the repairs.
        after: The result of the check on the repaired copy.
        changes: The changed files, and the repaired findings.
    """

    before: Result
    after: Result
    changes: RepairResult


def fix(path: Path, options: Options, *, unsafe: bool = False) -> tuple[Result, int]:
    """Apply repairs in place.

    Args:
        path: As for `check`.
        options: As for `check`.
        unsafe: Whether to include unsafe repairs.

    Returns:
        The result of the check after the repairs, and the number of repaired findings.

    Raises:
        HermesSdkError: As `plan_fixes` does; UnavailableError also when a file cannot be written.
    """
    plan = plan_fixes(path, options, unsafe=unsafe)
    count = len(plan.changes.findings)
    plan.changes.write(plan.before.base, plan.before.root)
    return (check(path, options) if count else plan.before), count


def plan_fixes(path: Path, options: Options, *, unsafe: bool = False) -> Plan:
    """Compute the changes of `fix` without writing them.

    Raises:
        HermesSdkError: As for `check`; also if repairs conflict: a repaired finding remains, there is a new one, or the
            plugin no longer loads.
    """
    before = check(path, options)
    repairable = [one for one in before.findings if one.repair and (one.repair.safe or unsafe)]
    if not repairable:
        return Plan(before, before, RepairResult({}, {}, {}, ()))
    with _copy_project(path, before) as copy:
        trial = _Trial(copy, path, before, options, unsafe=unsafe)
        plan = trial.plan(repairable)
        if not _is_better(plan):
            trial.undo(plan)
            raise _describe_conflict(trial.find_conflict(repairable))
    return plan


@contextmanager
def _copy_project(path: Path, result: Result) -> Generator[tuple[Path, Path]]:
    """Copy a project, or a core-tool file alone; yield the original directory and the copy."""
    from hermes_sdk.files import staging_directory
    from hermes_sdk.hosts.staging.copying import copy_files

    root, base = (result.root or result.base).resolve(), result.base.resolve()
    top = root if base.is_relative_to(root) else base
    with staging_directory(Path(gettempdir())) as folder:
        copy = folder / (top.name or "project")
        if is_core_tool(path):
            copy.mkdir()
            shutil.copyfile(path, copy / path.name)
        else:
            copy_files(top, copy, _NOT_COPIED)
        yield top, copy


class _Trial:
    """Trial of repairs on a copy of a project."""

    def __init__(self, copy: tuple[Path, Path], path: Path, before: Result, options: Options, *, unsafe: bool) -> None:
        self._top, self._copy = copy
        self._path, self._base = self._find(path), self._find(before.base)
        self._root = self._find(before.root) if before.root else None
        self._before, self._options, self._unsafe = before, options, unsafe

    def _find(self, path: Path) -> Path:
        """Return the path in the copy that corresponds to a path in the project."""
        found = path.parent.resolve() / path.name if path.is_file() else path.resolve()
        return self._copy / found.relative_to(self._top)

    def plan(self, findings: Iterable[Finding]) -> Plan:
        """Repair findings in the copy, including new ones that the repairs cause.

        Overlapping repairs are applied one after the other, with a check between them.
        """
        others = {_identify(one) for one in self._before.findings} - {_identify(one) for one in findings}
        plan = Plan(self._before, self._before, RepairResult({}, {}, {}, ()))
        for _ in range(_ROUNDS):
            wanted = [one for one in plan.after.findings if _identify(one) not in others]
            made = repair(wanted, self._base, self._root, unsafe=self._unsafe)
            if not made.findings:
                break
            made.write(self._base, self._root, durable=False)
            plan = plan._replace(after=check(self._path, self._options), changes=_join(plan.changes, made))
        return plan

    def undo(self, plan: Plan) -> None:
        """Restore the original content of the files."""
        plan.changes._replace(after=plan.changes.before).write(self._base, self._root, durable=False)

    def find_conflict(self, findings: list[Finding]) -> list[Finding]:
        """Find the first findings whose repairs conflict."""
        for number, finding in enumerate(findings):
            if not self._is_repairable([finding]):
                return [finding]
            if not self._is_repairable(findings[: number + 1]):
                return findings[: number + 1]
        return findings

    def _is_repairable(self, findings: list[Finding]) -> bool:
        plan = self.plan(findings)
        self.undo(plan)
        return _is_better(plan)


def _identify(finding: Finding) -> tuple[str, str, str]:
    """Return a key for a finding that does not depend on its line."""
    return finding.code, finding.path, finding.message


def _is_better(plan: Plan) -> bool:
    """Return whether the repaired findings are gone, there are no new ones, and the plugin still loads if it did.

    Findings of rules that could not run before, such as those that need a load, do not count as new.
    """
    known = {_identify(one) for one in plan.before.findings}
    allowed = _count(plan.before.findings)
    allowed.subtract(_count(one for one in plan.changes.findings if _identify(one) in known))
    undecided = {one.code for one in plan.before.not_run}
    found = _count(one for one in plan.after.findings if one.code not in undecided)
    return found <= allowed and _count_loads(plan.after) >= _count_loads(plan.before)


def _count(findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
    return Counter((one.code, one.path) for one in findings)


def _count_loads(result: Result) -> int:
    return sum(run.outcome["report"]["status"] == "loaded" for run in result.runs)


def _join(first: RepairResult, second: RepairResult) -> RepairResult:
    return RepairResult(
        {**second.before, **first.before},
        {**first.after, **second.after},
        {**second.encodings, **first.encodings},
        first.findings + second.findings,
    )


def _describe_conflict(findings: list[Finding]) -> HermesSdkError:
    named = ", ".join(f"{one.code} at {one.path}:{one.line}" for one in findings)
    problem = "these fixes do not work together" if len(findings) > 1 else "this fix does not work"
    fix = "Repair them by hand, or suppress one of them." if len(findings) > 1 else "Repair it by hand, or suppress it."
    return HermesSdkError(f"No file was changed, because {problem}: {named}.", fix=fix)
