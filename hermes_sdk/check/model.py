"""What a check answers: findings, and the rules that could not run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a plugin, at one place.

    Attributes:
        code: The code of the rule, such as ``HS301``.
        severity: ``error`` breaks the plugin, ``warning`` may, ``info`` is worth knowing.
        message: What is wrong, in one sentence.
        path: The file, POSIX and relative to what was checked.
        line: 1-based.
        column: 1-based.
        why: Why it matters.
        fix: What to do.
    """

    code: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    why: str
    fix: str


@dataclass(frozen=True)
class NotRun:
    """A rule that could not be decided, and the reason."""

    code: str
    reason: str


@dataclass(frozen=True)
class Result:
    """The answer to one check.

    Attributes:
        path: What was checked, as the caller named it.
        base: The directory that the paths of the findings are relative to.
        findings: Sorted by path, line, code, column and message.
        not_run: Sorted by code.
    """

    path: str
    base: Path
    findings: tuple[Finding, ...]
    not_run: tuple[NotRun, ...]

    def count(self, severity: Severity) -> int:
        """How many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def passes(self, *, strict: bool = False) -> bool:
        """Whether the plugin passes: no error, and with `strict` no warning and no rule that could not run."""
        return not (self.count("error") or (strict and (self.count("warning") or self.not_run)))
