"""Checks plugins: runs the rules, leaves out what the author put aside, and puts the answer together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from hermes_sdk import contract
from hermes_sdk.check.baseline import with_fingerprints, without_old
from hermes_sdk.check.model import Finding, NotRun, Profile, Result, ToConfirm
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.rules.base import LoadRule, ManualRule, OnlineRule, Rule, RuntimeRule, WheelRule
from hermes_sdk.check.settings import Settings
from hermes_sdk.check.static import Outcome, static_outcomes
from hermes_sdk.check.suppress import without_suppressed
from hermes_sdk.contract.supported import Supported
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.manifest import locate_all

TIME_LIMIT = 30.0
"""Seconds that a plugin has for loading."""


@dataclass(frozen=True)
class Options:
    """What to check, and how.

    Attributes:
        release: The release of Hermes Agent that the plugin is judged for; None for the newest, or for `target`.
        target: A range of releases such as ``>=0.16``, instead of one release; None for that of the project's settings.
        static: Whether to leave out the rules that run code of the plugin.
        online: Whether rules may use the network.
        profile: ``catalog`` adds the admission rules of the public catalog.
        strict: Whether a warning, or a rule that could not run, fails the check; else the project's settings say so.
        baseline: The file with the findings of old; None for that of the project's settings.
        use_baseline: Whether to leave out the findings of old.
        require_isolation: ``full`` to run no code of the plugin when a layer of the isolation is missing here.
        cache: The directory that keeps what static rules found in plugins that did not change; None for no cache.
        time_limit: Seconds that the plugin has for loading.
    """

    release: str | None = None
    target: str | None = None
    static: bool = False
    online: bool = False
    profile: Profile = "default"
    strict: bool = False
    baseline: Path | None = None
    use_baseline: bool = True
    require_isolation: Literal["full"] | None = None
    cache: Path | None = None
    time_limit: float = TIME_LIMIT

    def rules(self) -> Iterator[Rule]:
        """The rules that these options ask for."""
        for rule in RULES:
            if rule.profile in ("default", self.profile) and (self.online or not isinstance(rule, OnlineRule)):
                yield rule

    def releases(self, settings: Settings) -> tuple[str, ...]:
        """The releases that a plugin is judged for, oldest first.

        Raises:
            UsageError: The range cannot be read, or no known release lies in it.
        """
        if self.release is not None:
            return (contract.load(self.release).release,)
        target = self.target if self.target is not None else settings.target
        if target is None:
            return (contract.DEFAULT,)
        known = ", ".join(contract.releases())
        try:
            wanted = Supported.parse(target)
        except ValueError as error:
            raise UsageError(
                f"the target cannot be read: {error}.", fix="Write for instance '>=0.16, <0.19'."
            ) from None
        found = tuple(release for release in contract.releases() if wanted.admits(release))
        if not found:
            raise UsageError(f"no known release of Hermes is {target}.", fix=f"Known are {known}.")
        return found


def check(path: Path, options: Options | None = None) -> Result:
    """Check the plugin, or all plugins of a workspace.

    Static rules only read files. For the other rules a child process loads the plugin on the embedded host, in a
    temporary home and with a time limit; what that does to the child becomes a finding.

    Args:
        path: A plugin directory, a project that holds one, or a workspace (see `hermes_sdk.manifest.locate_all`).
        options: What to check, and how.

    Returns:
        The findings, and the rules that could not be decided.

    Raises:
        UsageError: There is no plugin at the path, a release is not known, or the project's settings are wrong.
        UnavailableError: The machine cannot run the child process, or not as isolated as was required.
    """
    options = options or Options()
    base = path if path.is_dir() else path.parent
    results = [_check(Plugin(located, base), path, options) for located in locate_all(path)]
    not_run = {one for result in results for one in result.not_run}
    return replace(
        results[0],
        findings=tuple(sorted((one for result in results for one in result.findings), key=_place)),
        not_run=tuple(sorted(not_run, key=lambda one: (one.code, one.reason))),
        isolation=next((result.isolation for result in results if result.isolation), ""),
        suppressed=sum(result.suppressed for result in results),
    )


def _check(plugin: Plugin, path: Path, options: Options) -> Result:
    settings = Settings.of(plugin)
    releases = options.releases(settings)
    outcomes = static_part(plugin, options, releases)
    isolation = ""
    if options.online:
        outcomes += _online(plugin, options)
    if not options.static:
        from hermes_sdk.check.runtime import Runtime
        from hermes_sdk.check.wheel import wheel_outcomes

        runtime = Runtime(plugin, full_isolation=options.require_isolation == "full", time_limit=options.time_limit)
        outcomes += runtime.outcomes(options.rules(), releases)
        isolation = runtime.isolation
        outcomes += wheel_outcomes(plugin, options.rules(), online=options.online)
    not_run = [each for each in outcomes if isinstance(each, NotRun)]
    findings = sorted({each for each in outcomes if isinstance(each, Finding)}, key=_place)
    kept, suppressed = _put_aside(findings, not_run, plugin, options, settings)
    questions = (ToConfirm(rule.code, rule.question) for rule in options.rules() if isinstance(rule, ManualRule))
    return Result(
        path=path.as_posix(),
        base=plugin.base,
        findings=kept,
        not_run=tuple(not_run),
        manual=tuple(questions),
        releases=releases,
        isolation=isolation,
        suppressed=suppressed,
        strict=options.strict or settings.strict,
        baseline=options.baseline or settings.baseline,
    )


def static_part(plugin: Plugin, options: Options, releases: tuple[str, ...]) -> list[Outcome]:
    """What the static rules find; from the cache when neither the plugin nor the rules changed."""
    rules = list(options.rules())

    def run() -> list[Outcome]:
        return list(static_outcomes(plugin, rules, [contract.load(release) for release in releases]))

    if options.cache is None:
        return run()
    from hermes_sdk.check.cache import cached

    return cached(options.cache, plugin, [rule.code for rule in rules], releases, run)


def _put_aside(
    findings: list[Finding], not_run: Iterable[NotRun], plugin: Plugin, options: Options, settings: Settings
) -> tuple[tuple[Finding, ...], int]:
    """Leave out what the author put aside, and count that."""
    open_rules = {entry.code for entry in not_run}
    decided = {rule.code for rule in options.rules() if _is_run(rule, options)} - open_rules
    protected = {rule.code for rule in options.rules() if rule.catalog and options.profile == "catalog"}
    if protected:
        findings = [replace(one, severity="error") if one.code in protected else one for one in findings]
    left = without_suppressed(findings, plugin, settings, decided, protected)
    named = with_fingerprints(sorted(left.findings, key=_place), plugin)
    baseline = options.baseline or settings.baseline
    if baseline is None or not options.use_baseline:
        return tuple(named), left.suppressed
    new = without_old(named, plugin, baseline)
    return new, left.suppressed + len(set(named) - set(new))


def _is_run(rule: Rule, options: Options) -> bool:
    return not (options.static and isinstance(rule, LoadRule | RuntimeRule | WheelRule))


def _place(finding: Finding) -> tuple[Any, ...]:
    return finding.path, finding.line, finding.code, finding.column, finding.message, finding.releases


def _online(plugin: Plugin, options: Options) -> Iterator[Outcome]:
    for rule in options.rules():
        if isinstance(rule, OnlineRule):
            try:
                yield from rule.check(plugin)
            except UnavailableError as error:
                yield NotRun(rule.code, error.message)
