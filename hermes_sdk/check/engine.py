"""Checks plugins: runs the rules, drops suppressed findings, and assembles the result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk import contract
from hermes_sdk.check.baseline import add_fingerprints, drop_known
from hermes_sdk.check.model import Coverage, Finding, NotRun, Result, ToConfirm
from hermes_sdk.check.options import Options, Settings
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import Outcome, limit_severity
from hermes_sdk.check.static import run_static_rules
from hermes_sdk.check.suppress import drop_suppressed
from hermes_sdk.errors import UnavailableError
from hermes_sdk.manifest import Located, find_plugins
from hermes_sdk.manifest.forms import relative
from hermes_sdk.manifest.load import choose_reader

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import Ran


def check(path: Path, options: Options | None = None) -> Result:
    """Check a plugin, or all plugins of a workspace.

    Static rules only read files. For other rules, a child process loads the plugin on the host that the options choose,
    in a temporary home and with a time limit; if the child crashes or hangs, that is a finding.

    Args:
        path: A plugin directory, a project with a plugin, a workspace, a gateway event hook, a core-tool file, or a
            shell hook (see `hermes_sdk.manifest.find_plugins`).
        options: Options of the check.

    Returns:
        The findings, and the rules that could not be decided.

    Raises:
        UsageError: There is no plugin at the path, a release is unknown, or the project's settings are invalid.
        UnavailableError: The machine cannot run the child process with the required isolation.
    """
    options = options or Options()
    base = path if path.is_dir() else path.parent
    plugins = find_plugins(path, options.form, options.plugin)
    # Keep no reference to a plugin, so that its syntax trees are freed before the next one is checked.
    results = [_Check(one.forms, base, options).result(path) for one in plugins]
    not_run = {one for result in results for one in result.not_run}
    if len(plugins) > 1:
        not_run = {
            one._replace(reason=f"{relative(plugin.forms[0].directory, base)}: {one.reason}")
            for plugin, result in zip(plugins, results, strict=True)
            for one in result.not_run
        }
    return results[0]._replace(
        root=None if len(plugins) > 1 else results[0].root,
        findings=tuple(sorted({one for result in results for one in result.findings}, key=_place)),
        not_run=tuple(sorted(not_run, key=lambda one: (one.code, one.reason))),
        isolation=next((result.isolation for result in results if result.isolation), ""),
        runs=tuple(run for result in results for run in result.runs),
        suppressed=sum(result.suppressed for result in results),
        strict=any(result.strict for result in results),
    )


def _place(finding: Finding) -> tuple[Any, ...]:
    return finding.path, finding.line, finding.code, finding.column, finding.message, finding.releases


class _Check:
    """Check of one plugin."""

    def __init__(self, forms: Sequence[Located], base: Path, options: Options) -> None:
        plugin = Plugin(forms[0], base)
        self._options = options
        self._settings = Settings.load(plugin)
        self._rules = list(options.rules())
        self._releases = options.releases(self._settings, plugin.fields.get("requires_hermes"))
        reader = choose_reader(contract.load(self._releases[-1]).behaviour)
        self._plugin = plugin if reader == plugin.reader else Plugin(forms[0], base, reader)
        self._forms = [self._plugin, *(Plugin(one, base, reader) for one in forms[1:])]
        self._later_releases = options.later_releases(self._settings)
        self._baseline = options.baseline or self._settings.baseline
        self._is_loaded = not options.static and plugin.located.shell_hook is None
        self._isolation = ""
        self._runs: tuple[Ran[Any], ...] = ()

    def result(self, path: Path) -> Result:
        """Run the rules."""
        if self._is_loaded:
            from hermes_sdk.hosts import inspection

            inspection.prepare()  # Start the child process for loading while the static rules run.
        outcomes = [*self._static(), *self._online(), *(() if self._options.static else self._runtime())]
        not_run = [each for each in outcomes if isinstance(each, NotRun)]
        checked_releases = contract.order_releases([*self._releases, *self._later_releases])
        supported = self._plugin.supported
        found = {limit_severity(each, checked_releases, supported) for each in outcomes if isinstance(each, Finding)}
        coverage = self._coverage(not_run)
        undecided = {*(entry.code for entry in not_run), *coverage.partly_run, *coverage.left_out}
        decided = {rule.code for rule in self._rules} - undecided
        left, suppressed = self._filter_findings(found, decided)
        questions = (ToConfirm(rule.code, rule.question) for rule in self._rules if rule.question)
        return Result(
            path=path.as_posix(),
            base=self._plugin.base,
            root=self._plugin.located.project,
            findings=left,
            not_run=tuple(not_run),
            manual=tuple(questions),
            releases=self._releases,
            isolation=self._isolation,
            runs=self._runs,
            suppressed=suppressed,
            strict=self._options.strict or self._settings.strict,
            baseline=self._baseline,
            coverage=coverage,
        )

    def _coverage(self, not_run: Collection[NotRun]) -> Coverage:
        need_load = [rule for rule in self._rules if rule.runs_code and self._options.static]
        partly_run = tuple(rule.code for rule in need_load if rule.subject == "registration")
        left_out = tuple(rule.code for rule in need_load if rule.subject != "registration")
        engine_rules = sum(rule.check is not None for rule in self._rules)
        run = engine_rules - len(need_load) - len({one.code for one in not_run})
        return Coverage(run, partly_run, left_out)

    def _static(self) -> list[Outcome]:
        """Run the static rules, or return their cached outcomes if neither the plugin nor the rules have changed."""

        rules = [rule for rule in self._rules if self._options.static or not rule.runs_code]
        releases = contract.order_releases([*self._releases, *self._later_releases])

        def run() -> list[Outcome]:
            contracts = [contract.load(release) for release in releases]
            return list(run_static_rules(self._plugin, rules, contracts))

        if self._options.cache is None:
            return run()
        from hermes_sdk.check.cache import find_outcomes

        codes = [rule.code for rule in rules]
        return find_outcomes(self._options.cache, self._plugin, codes, releases, run)

    def _online(self) -> Iterator[Outcome]:
        for rule in self._rules:
            if rule.subject == "network":
                try:
                    yield from rule.findings(self._plugin)
                except UnavailableError as error:
                    yield NotRun(rule.code, error.message)

    def _runtime(self) -> Iterator[Outcome]:
        """Run the rules that run code of the plugin; its wheel is built while the plugin is loaded."""
        from hermes_sdk.check.runtime import Runtime
        from hermes_sdk.check.wheel import checking_wheel
        from hermes_sdk.hosts.staging import default_choice

        options = self._options
        full = options.require_isolation == "full"
        host = options.host or default_choice()
        runtime = Runtime(
            self._forms,
            full_isolation=full,
            time_limit=options.time_limit,
            host=host,
            installed=options.installed,
        )
        with checking_wheel(self._plugin, self._rules, online=options.online, full_isolation=full) as check_wheel:
            if self._is_loaded:
                yield from runtime.outcomes(self._rules, self._releases, self._later_releases)
            yield from runtime.trial_outcomes(self._rules, self._releases)
            self._isolation = runtime.isolation
            self._runs = tuple(runtime.runs)
            yield from check_wheel()

    def _filter_findings(self, found: Collection[Finding], decided: Collection[str]) -> tuple[tuple[Finding, ...], int]:
        """Drop suppressed and known findings, and apply the severities of the profile.

        Args:
            decided: The codes of the rules that ran.

        Returns:
            The remaining findings, and the number of dropped ones.
        """
        asked = self._options.profile == "catalog"
        protected = {rule.code for rule in self._rules if asked and rule.catalog}
        severe = [one._replace(severity="error") if one.code in protected else one for one in found]
        kept = drop_suppressed(severe, self._plugin, self._settings, decided, protected)
        named = add_fingerprints(sorted(kept.findings, key=_place), self._plugin)
        if self._baseline is None or not self._options.use_baseline:
            return tuple(named), kept.suppressed
        new = drop_known(named, self._plugin, self._baseline, decided, protected)
        return new, kept.suppressed + len(set(named).difference(new))
