"""Results of a check: findings, their repairs, and rules that could not be decided.

These are tuples with names because ten data classes would take a twentieth of the time of a check to create.
"""

# Annotations are not strings here: `NamedTuple` would compile each of them.

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import Ran

Severity = Literal["error", "warning", "info"]
Profile = Literal["default", "catalog"]


class Edit(NamedTuple):
    """One change to one file.

    Attributes:
        path: The file, as findings name it.
        start: Where the text begins that is replaced, in characters; line ends count as they stand in the file.
    """

    path: str
    start: int
    end: int
    text: str


class Repair(NamedTuple):
    """The edits that remove a finding.

    Attributes:
        edits: They are made together or not at all.
        safe: Whether the plugin surely does the same afterwards, but for what the finding complains about.
    """

    edits: tuple[Edit, ...]
    safe: bool


class Finding(NamedTuple):
    """One thing that is wrong with a plugin, at one place.

    Attributes:
        code: The code of the rule, such as ``HS301``.
        severity: ``error`` breaks the plugin, ``warning`` may, ``info`` is worth knowing.
        message: What is wrong, in one sentence.
        path: The file, POSIX and relative to what was checked.
        line: 1-based.
        column: 1-based, in characters.
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


class NotRun(NamedTuple):
    """A rule that could not be decided, and the reason.

    Attributes:
        unavailable: Whether this machine lacks what the rule needs, which says nothing about the plugin.
    """

    code: str
    reason: str
    releases: tuple[str, ...] = ()
    unavailable: bool = False


class ToConfirm(NamedTuple):
    """A rule of the catalog that only a person can decide."""

    code: str
    question: str


class Coverage(NamedTuple):
    """Coverage of a plugin by the rules.

    Attributes:
        run: How many rules saw all that they look at.
        partly_run: The codes of the rules that need a load and saw only what the source makes certain; sorted.
        left_out: The codes of the rules that need a load and did not run; sorted.
    """

    run: int = 0
    partly_run: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """One check of a judge of the host, compared with our rules.

    Attributes:
        judge: ``validate``, ``doctor`` or ``scan``.
        check: The name of the check there, or that of what the scanner found.
        level: ``pass``, or how severe our finding about it is.
        rules: Our rules that decide the same; empty when there is none.
        ours: The codes of those that object.
        agrees: Whether they object where the judge does; None when none of them was decided.
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
        host: What is installed for it, such as ``hermes-agent==0.19.0``.
        source: What was judged, such as ``the directory``.
        differing: The files that differ on disk from what was judged.
        missing: The judges that the release does not have.
        verdicts: What they say, in their order.
        plugin: The path of the plugin's module, as findings name it.
    """

    release: str
    host: str
    source: str
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    plugin: str = ""


class Result(NamedTuple):
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
        baseline: The baseline file of known findings that the options or the project's settings name.
        coverage: How much the rules saw of the plugin.
        upstream: What the judges of the real host say, one for each plugin; empty when they were not asked.
        runs: Where the plugin was loaded, once for each release.
        root: The directory that no link leads out of, see `hermes_sdk.links`; None when it is `base`.
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
        """Return how many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def passes(self) -> bool:
        """Return whether the plugin passes: no error, and when strict no warning and no rule that could not run."""
        return not (self.number("error") or (self.strict and (self.number("warning") or self.not_run)))


def fields_of(one: Finding | NotRun | ToConfirm | Repair | Edit | Coverage | Upstream | Verdict) -> dict[str, Any]:
    """The fields of one of these, in the types of JSON."""
    return {name: _plain(value) for name, value in one._asdict().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Repair | Edit | Verdict):
        return fields_of(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
