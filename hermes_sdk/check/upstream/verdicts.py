"""Turns the results of Hermes' own checks into findings, and compares them with our rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk import contract
from hermes_sdk.check.baseline import add_fingerprints
from hermes_sdk.check.model import Finding, NotRun, Result, Severity, Upstream, Verdict
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.upstream import table
from hermes_sdk.check.upstream.table import find_file, find_place
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.contract.sources import find_source
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts import environments
from hermes_sdk.hosts.dependencies import find_requirements
from hermes_sdk.hosts.processes import isolation

if TYPE_CHECKING:
    from hermes_sdk.hosts.judges import Answer, Judge
    from hermes_sdk.manifest import Located

COMMANDS: dict[Judge, str] = {
    "validate": "hermes plugins validate",
    "doctor": "hermes plugins doctor --ci",
    "scan": "the scanner of hermes plugins install",
}

_WHY = {
    "validate": "The catalog rejects entries that fail `hermes plugins validate`.",
    "doctor": "`hermes plugins doctor --ci` fails.",
    "scan": "`hermes plugins install` runs this scanner: it rejects dangerous plugins, and asks the user about "
    "suspicious ones.",
}
_SEVERITIES: dict[str, dict[str, Severity]] = {
    "dangerous": {"critical": "error", "high": "warning"},
    "caution": {"critical": "warning", "high": "warning"},
}


class Shipped(NamedTuple):
    """Copy of the files that an installation of a plugin would put into a home.

    Attributes:
        directory: The copy; its name is that of the installed plugin.
        repository: The root of the repository of the original; None without a repository or a commit.
        commit: The SHA of the copied commit; empty without a repository.
        subdirectory: The plugin's directory in the repository; empty for its root.
        differing: The files that differ between the copy and the plugin on disk, sorted.
        checkout: The plugin in a checkout of the whole repository at that commit; None without one.
    """

    directory: Path
    repository: Path | None = None
    commit: str = ""
    subdirectory: str = ""
    differing: tuple[str, ...] = ()
    checkout: Path | None = None

    @property
    def source(self) -> str:
        """Description of the origin of the copy."""
        if not self.commit:
            return "the directory as it is on disk"
        where = f"subdirectory {self.subdirectory}" if self.subdirectory else "the whole repository"
        return f"{where} at commit {self.commit[:12]}"


def choose_release(wanted: str | None, declared: object = None) -> str:
    """Return the release whose checks run: `wanted`, or the newest installed release that the manifest admits.

    Raises:
        UsageError: The release is unknown.
        UnavailableError: Its host is not installed.
    """
    if wanted is None:
        try:
            supported = Supported.from_manifest(declared)
        except ValueError:
            return choose_release(None)
        found = [one for one in contract.known_releases() if find_source(one) and environments.is_installed(one)]
        admitted = [one for one in contract.order_releases(found) if supported.admits(one)]
        wanted = admitted[-1] if admitted else contract.DEFAULT
    if not environments.is_installed(wanted):
        raise UnavailableError(
            f"Hermes {wanted}, which runs the checks, is not installed",
            fix=f"Run `hermes-sdk hosts install {wanted}`, or choose another release with `--release`.",
        )
    return wanted


def judge(
    plugin: Plugin, shipped: Shipped, release: str, *, install: bool = False, full_isolation: bool = False
) -> tuple[Upstream, list[Finding], list[NotRun]]:
    """Run all checks of an installed release on a plugin.

    Args:
        install: Whether to install missing requirements of the plugin.
        full_isolation: Whether to run no code of the plugin if an isolation layer is missing.

    Returns:
        The verdicts, the findings, and the checks that did not run.

    Raises:
        UnavailableError: A required isolation layer is missing.
    """
    from hermes_sdk.hosts import judges

    packages, lacking = _find_packages(plugin.located, release, install=install)
    source = find_source(release)
    number, place = contract.split_location(release)
    host = place or ((source.requirement or f"{source.address}@{source.revision}") if source else release)
    verdicts: list[Verdict] = []
    findings: list[Finding] = []
    not_run = [NotRun("UP-requirements", lacking)] if lacking else []
    missing = []
    required = isolation.FULL if full_isolation else ()
    for name in COMMANDS:
        try:
            answer = judges.ask(name, shipped.directory, release, packages=packages, required=required)
        except UnavailableError:
            raise
        except HermesSdkError as error:
            answer = judges.Answer(None, error.message)
        if answer.result is None and not answer.problem:
            missing.append(name)
            not_run.append(NotRun(f"UP-{name}", f"not in this release, Hermes {number}; choose a newer `--release`"))
            continue
        for verdict, finding in _read(name, answer, plugin):
            verdicts.append(verdict)
            findings += [finding] if finding else []
    upstream = Upstream(number, host, shipped.source, shipped.differing, tuple(missing), tuple(verdicts))
    return upstream, findings, not_run


def _find_packages(located: Located, release: str, *, install: bool) -> tuple[Sequence[Path], str]:
    """Return the directories with the requirements of a plugin, and the reason if they cannot be installed."""
    try:
        return environments.overlay(release, find_requirements(located), may_install=install), ""
    except (UnavailableError, UsageError) as error:
        return (), f"Hermes' own checks ran without the plugin's requirements: {error.message}"


def _read(name: Judge, answer: Answer, plugin: Plugin) -> Iterator[tuple[Verdict, Finding | None]]:
    """Yield the verdict of each check in an answer, with a finding if the check failed."""
    if answer.problem:
        known = table.Known(("HS202",), "Do not end or block the process while the plugin is imported or registered.")
        printed = f" It had printed:\n{answer.printed[-1000:].strip()}" if answer.printed.strip() else ""
        yield _report_failure(name, "load", f"{answer.problem}.{printed}", "error", known, plugin)
    elif name == "validate":
        yield from _read_validate(answer.result, plugin)
    elif name == "doctor":
        yield from _read_doctor(answer.result, plugin)
    else:
        yield from _read_scan(answer.result, plugin)


def _read_validate(said: Any, plugin: Plugin) -> Iterator[tuple[Verdict, Finding | None]]:
    for check in said["checks"]:
        known = table.find_validate_check(check["name"])
        if check["ok"]:
            yield Verdict("validate", check["name"], "pass", check["detail"], known.rules), None
        else:
            yield _report_failure("validate", check["name"], check["detail"], "error", known, plugin)
    for warning in said["warnings"]:
        name, known = table.find_check(warning, table.VALIDATE_WARNINGS)
        yield _report_failure("validate", name, warning, "warning", known, plugin)
    if isolated := said.get("isolation"):
        reasons = "; ".join(map(str, isolated.get("reasons") or []))
        detail = f"{isolated.get('verdict')}{f': {reasons}' if reasons else ''}"
        yield Verdict("validate", "isolation", "info", detail), None


def _read_doctor(said: Any, plugin: Plugin) -> Iterator[tuple[Verdict, Finding | None]]:
    met = set()
    for complaint in said["findings"]:
        name, known = table.find_check(complaint["message"], table.DOCTOR)
        met.add(name)
        yield _report_failure("doctor", name, complaint["message"], complaint["level"], known, plugin)
    if "load" in met:
        return
    for _, name, known in table.DOCTOR:
        if name not in met and known.rules:
            yield Verdict("doctor", name, "pass", "", known.rules), None


def _read_scan(said: Any, plugin: Plugin) -> Iterator[tuple[Verdict, Finding | None]]:
    scanner = f" ({said['scanner']})" if said["scanner"] else ""
    level = {True: "pass", None: "warning", False: "error"}[said["allowed"]]
    yield Verdict("scan", "verdict", level, f"{said['verdict']}{scanner}: {said['reason']}"), None
    severities = _SEVERITIES.get(said["verdict"], {})
    for one in said["findings"]:
        severity: Severity = severities.get(one["severity"], "info")
        code = f"UP-scan-{_slug(one['name'])}"
        message = f"{one['text']} ({one['severity']})"
        path = find_file(plugin, one["file"])
        place = (path, max(one["line"], 1), 1)
        finding = Finding(code, severity, message, *place, _WHY["scan"], table.SCAN.fix)
        yield Verdict("scan", one["name"], severity, f"{one['file']}:{one['line']}: {message}"), finding


def _report_failure(
    name: Judge, check: str, detail: str, severity: Severity, known: table.Known, plugin: Plugin
) -> tuple[Verdict, Finding]:
    path, line = find_place(plugin, detail, known.key or ("manifest" if check.startswith("manifest") else ""))
    fix = known.fix.format(key=known.key) or "Change the code or field that the message names."
    code = f"UP-{name}-{_slug(check)}"
    finding = Finding(code, severity, detail or check, path, line, 1, _WHY[name], fix)
    return Verdict(name, check, severity, detail, (*known.rules, *known.instead)), finding


def _slug(text: str) -> str:
    return "-".join("".join(one if one.isalnum() else " " for one in text.lower()).split())


def add_verdicts(
    result: Result, plugin: Plugin, said: tuple[Upstream, Collection[Finding], Collection[NotRun]]
) -> Result:
    """Add the verdicts of Hermes' own checks on a plugin to a result, and compare them with our findings."""
    upstream, findings, not_run = said
    ours = [one for one in result.findings if _is_about(one, plugin)]
    # Hermes' own checks include what our rules check only with the profile `catalog`.
    ours += [one for rule in RULES if rule.code == "HS690" for one in rule.findings(plugin)]
    undecided = {one.code for one in result.not_run} | set(result.coverage.left_out)
    verdicts = tuple(_compare(verdict, ours, undecided) for verdict in upstream.verdicts)
    named = add_fingerprints(sorted(findings, key=lambda one: (one.path, one.line, one.code)), plugin)
    merged = sorted([*result.findings, *named], key=lambda one: (one.path, one.line, one.code, one.column))
    return result._replace(
        findings=tuple(merged),
        not_run=tuple(sorted({*result.not_run, *not_run})),
        upstream=(*result.upstream, upstream._replace(plugin=plugin.entry, verdicts=verdicts)),
    )


def _is_about(finding: Finding, plugin: Plugin) -> bool:
    place = plugin.base / finding.path
    return place.is_relative_to(plugin.located.directory) or place.is_relative_to(plugin.located.project)


def _compare(verdict: Verdict, ours: Sequence[Finding], undecided: Collection[str]) -> Verdict:
    """Add to a verdict those of our rules that found the same problem, and record whether they agree with Hermes."""
    pairs = [rule.partition(" ")[::2] for rule in verdict.rules]
    objecting = {one.code for one in ours for code, word in pairs if one.code == code and word in one.message}
    decided = {code for code, _ in pairs} - set(undecided)
    if not decided and not objecting:
        return verdict
    return verdict._replace(ours=tuple(sorted(objecting)), agrees=bool(objecting) == (verdict.level != "pass"))
