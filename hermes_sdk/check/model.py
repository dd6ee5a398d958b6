"""Results of a check: findings, their repairs, and rules that could not be decided.

These are named tuples because creating ten data classes would take 5 % of the time of a check.
"""

# No `from __future__ import annotations`: `NamedTuple` would compile each annotation.

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import Ran

Severity = Literal["error", "warning", "info"]
Profile = Literal["default", "catalog"]


class Edit(NamedTuple):
    """Replacement of a range of text in one file.

    Attributes:
        path: The file, as in `Finding.path`.
        start: Offset of the replaced text in characters, with the line endings of the file.
    """

    path: str
    start: int
    end: int
    text: str


class Repair(NamedTuple):
    """Edits that fix a finding.

    Attributes:
        edits: Applied together or not at all.
        safe: Whether the edits change only the reported problem, and no other behaviour of the plugin.
    """

    edits: tuple[Edit, ...]
    safe: bool


class Finding(NamedTuple):
    """Problem of a plugin at one place.

    Attributes:
        code: The code of the rule, such as ``HS301``.
        severity: ``error`` breaks the plugin, ``warning`` may break it, ``info`` is a hint.
        message: The problem, in one sentence.
        path: POSIX path of the file, relative to the checked directory.
        line: 1-based.
        column: 1-based, in characters.
        releases: The affected releases, if the check covers several and they differ.
        repair: The repair that `--fix` applies; None if the fix is manual.
        fingerprint: Identifier that is stable when lines are added above the finding.
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

    @property
    def advice(self) -> str:
        """The fix, with the command that applies the repair."""
        if self.repair is None:
            return self.fix
        option = "" if self.repair.safe else " --unsafe-fixes"
        return f"{self.fix} (`hermes-sdk check --fix{option}` does it)"


class NotRun(NamedTuple):
    """Rule that could not be decided, and the reason.

    Attributes:
        unavailable: Whether the reason is a missing tool of this machine, not the plugin.
    """

    code: str
    reason: str
    releases: tuple[str, ...] = ()
    unavailable: bool = False


class ToConfirm(NamedTuple):
    """Admission rule of the catalog that a person has to confirm."""

    code: str
    question: str


class Coverage(NamedTuple):
    """Rules that ran, ran in part, or were skipped.

    Attributes:
        run: Number of rules that ran completely.
        partly_run: Sorted codes of rules that need a loaded plugin and ran on the source alone.
        left_out: Sorted codes of rules that need a loaded plugin and did not run.
    """

    run: int = 0
    partly_run: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """Result of one of Hermes' checks, and of the rules that look for the same problem.

    Attributes:
        judge: ``validate``, ``doctor`` or ``scan``.
        check: Hermes' name for the check or for the scanner's finding.
        level: ``pass``, or the severity of our finding for the problem.
        rules: Our rules for the same problem; empty if there are none.
        ours: Codes of those rules that have a finding.
        agrees: Whether our rules and Hermes agree; None if none of our rules was decided.
    """

    judge: str
    check: str
    level: str
    detail: str
    rules: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    agrees: bool | None = None


class Upstream(NamedTuple):
    """Verdicts of Hermes' own checks on one plugin.

    Attributes:
        host: The requirement of the installed Hermes, such as ``hermes-agent==0.19.0``; the path of the user's own.
        source: Description of the checked files, such as ``the directory``.
        differing: Files on disk that differ from the checked ones.
        missing: The commands (see `Verdict.judge`) that the release does not have.
        verdicts: In the order in which Hermes reports them.
        plugin: The path of the plugin's module, as in `Finding.path`.
    """

    release: str
    host: str
    source: str
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    plugin: str = ""


class Result(NamedTuple):
    """Result of a check.

    Attributes:
        path: The checked path, as the caller passed it.
        base: The directory that the paths of the findings are relative to.
        findings: Sorted by path, line, code, column and message.
        not_run: Sorted by code.
        manual: Admission rules for a person to confirm, sorted by code.
        releases: The releases that the plugin was checked for, oldest first.
        isolation: Isolation layers around the plugin's code, such as ``env tmp rlimit``; empty if it did not run.
        suppressed: Number of findings that comments, the project's settings or the baseline suppress.
        strict: Whether warnings and rules that could not run fail the check.
        baseline: The baseline file of known findings that the options or the project's settings name.
        coverage: Rules that ran, ran in part, or were skipped.
        upstream: Verdicts of Hermes' own checks, one entry for each plugin; empty if they did not run.
        runs: The loads of the plugin, one for each release.
        root: Symbolic links must stay in this directory, see `hermes_sdk.links`; None if it is `base`.
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
    coverage: Coverage = Coverage()
    upstream: tuple[Upstream, ...] = ()
    runs: "tuple[Ran[Any], ...]" = ()
    root: Path | None = None

    def number(self, severity: Severity) -> int:
        """Return the number of findings with a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def passes(self) -> bool:
        """Return whether there are no errors and, if strict, no warnings and no rules that could not run."""
        return not (self.number("error") or (self.strict and (self.number("warning") or self.not_run)))


def to_json(record: Finding | NotRun | ToConfirm | Repair | Edit | Coverage | Upstream | Verdict) -> dict[str, Any]:
    """Convert a record to JSON types, including nested records."""
    return {name: _convert(value) for name, value in record._asdict().items()}


def _convert(value: Any) -> Any:
    if isinstance(value, Repair | Edit | Verdict):
        return to_json(value)
    return [_convert(each) for each in value] if isinstance(value, tuple) else value
