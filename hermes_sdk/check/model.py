"""What a check answers: findings, what can be repaired, and what could not be decided."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning", "info"]
Profile = Literal["default", "catalog"]


@dataclass(frozen=True)
class Edit:
    """One change to one file.

    Attributes:
        path: The file, as findings name it.
        start: Where the text begins that is replaced, in characters; line ends count as they stand in the file.
        end: Where it ends.
        text: What takes its place.
    """

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Repair:
    """The edits that remove a finding.

    Attributes:
        edits: They are made together or not at all.
        safe: Whether the plugin surely does the same afterwards, but for what the finding complains about.
    """

    edits: tuple[Edit, ...]
    safe: bool


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a plugin, at one place.

    Attributes:
        code: The code of the rule, such as ``HS301``.
        severity: ``error`` breaks the plugin, ``warning`` may, ``info`` is worth knowing.
        message: What is wrong, in one sentence.
        path: The file, POSIX and relative to what was checked.
        line: 1-based.
        column: 1-based, in characters.
        why: Why it matters.
        fix: What to do.
        releases: The releases that it concerns when the plugin was judged for several and this depends on them.
        repair: What `--fix` does about it; None when only a person can.
        fingerprint: A name that stays when lines are added above it.
    """

    code: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    why: str
    fix: str
    releases: tuple[str, ...] = ()
    repair: Repair | None = None
    fingerprint: str = ""


@dataclass(frozen=True)
class NotRun:
    """A rule that could not be decided, and the reason.

    Attributes:
        code: The code of the rule.
        reason: Why.
        releases: As for a finding.
    """

    code: str
    reason: str
    releases: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToConfirm:
    """A rule of the catalog that only a person can decide.

    Attributes:
        code: The code of the rule.
        question: What to confirm.
    """

    code: str
    question: str


@dataclass(frozen=True)
class Result:
    """The answer to one check.

    Attributes:
        path: What was checked, as the caller named it.
        base: The directory that the paths of the findings are relative to.
        findings: Sorted by path, line, code, column and message.
        not_run: Sorted by code.
        manual: What is left to a person, sorted by code.
        releases: The releases that the plugin was judged for, oldest first.
        isolation: What kept the plugin's code from the machine, such as ``env tmp rlimit``; empty when it did not run.
        suppressed: How many findings a comment, the project's settings or the baseline took away.
        strict: Whether a warning, or a rule that could not run, fails the check.
        baseline: The file with the findings of old that the options or the project's settings name.
    """

    path: str
    base: Path
    findings: tuple[Finding, ...]
    not_run: tuple[NotRun, ...]
    manual: tuple[ToConfirm, ...] = ()
    releases: tuple[str, ...] = ()
    isolation: str = ""
    suppressed: int = 0
    strict: bool = False
    baseline: Path | None = None

    def count(self, severity: Severity) -> int:
        """How many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def passes(self) -> bool:
        """Whether the plugin passes: no error, and when strict no warning and no rule that could not run."""
        return not (self.count("error") or (self.strict and (self.count("warning") or self.not_run)))
