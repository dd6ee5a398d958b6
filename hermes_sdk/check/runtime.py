"""Part of a check that runs code of the plugin, in isolated child processes.

By default, the embedded host loads the plugin; if it does not support the plugin, an installed real host does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hermes_sdk import contract
from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, NotRun
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import Outcome, UnloadedReleases, guard, merge_releases
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.shell_hooks import find_shell_hooks, try_hook
from hermes_sdk.check.source_registrations import SourceReader, is_register_called
from hermes_sdk.check.static import check_registrations
from hermes_sdk.contract import order_releases
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.inspection import inspect_on
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.hosts.processes import process
from hermes_sdk.hosts.staging import HostChoice, Ran, explain_no_real_host
from hermes_sdk.manifest.load import choose_reader

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Inspection
    from hermes_sdk.manifest import Located

_UNDECIDED = (NotSupported, UsageError)
"""Errors that do not mean that the plugin is broken."""

_SOURCE_ONLY = "; only registrations that are certain from the source were checked"


class Runtime:
    """Runs the rules that load a plugin or run its shell hooks.

    Args:
        forms: The plugin in each of its forms; rules that do not depend on the form use the first.
        full_isolation: Whether to run no code of the plugin if an isolation layer is missing.
        time_limit: Seconds within which the plugin must load.
        host: The host that loads the plugin.
        installed: The user's own Hermes, which replaces the host of the release; empty to use that host.

    Attributes:
        isolation: The active isolation layers; empty before the first run.
        runs: The loads, oldest release first.
    """

    def __init__(
        self, forms: Sequence[Plugin], *, full_isolation: bool, time_limit: float, host: HostChoice, installed: str = ""
    ) -> None:
        self._plugin = forms[0]
        self._readers = [SourceReader(one) for one in forms]
        self._full_isolation = full_isolation
        self._time_limit = time_limit
        self._host: HostChoice = host
        self._installed = installed
        self.isolation = ""
        self.runs: list[Ran[Inspection]] = []

    def outcomes(
        self, rules: Iterable[Rule], releases: tuple[str, ...], later: tuple[str, ...] = ()
    ) -> Iterator[Outcome]:
        """Run the rules that need the plugin to be loaded.

        Args:
            rules: The rules; static ones are skipped.
            releases: The releases to load the plugin on, oldest first.
            later: Releases for which only registrations in the source are checked.

        Raises:
            UnavailableError: The machine cannot run the child process with the required isolation.
        """
        concerned = [rule for rule in rules if rule.subject in ("load", "registration", "forms")]
        loaded, read = ([contract.load(release) for release in names] for names in (releases, later))
        found = {one.release: list(self._check_release(concerned, one)) for one in loaded}
        found |= self._check_source(concerned, read)
        # Restore the order: releases without a load of the plugin may lie between releases on which it was loaded.
        ordered = {release: found[release] for release in order_releases([*found])}
        yield from merge_releases(ordered, [*loaded, *read])

    def _check_source(self, rules: Iterable[Rule], targets: Iterable[Contract]) -> dict[str, list[Outcome]]:
        """Return the findings in the registrations of the source, by release."""
        releases = UnloadedReleases(self._readers[0], targets)
        found: dict[str, list[Outcome]] = {}
        for rule in rules:
            if rule.subject == "registration":
                for release, outcomes in releases.find(rule, check_registrations).items():
                    found.setdefault(release, []).extend(outcomes)
        return found

    def trial_outcomes(self, rules: Iterable[Rule], releases: tuple[str, ...]) -> Iterator[Outcome]:
        """Try the shell hooks of the plugin on the newest release, and run the rules about trials.

        Raises:
            UnavailableError: The machine cannot run the child process with the required isolation.
        """
        concerned = [rule for rule in rules if rule.subject == "trial"]
        target = contract.load(releases[-1])
        for configured in find_shell_hooks(self._plugin, target) if concerned else ():
            try:
                tried = try_hook(
                    self._plugin,
                    configured,
                    target,
                    time_limit=self._time_limit,
                    full_isolation=self._full_isolation,
                )
            except UnavailableError:
                raise
            except HermesSdkError as error:
                yield from (NotRun(rule.code, error.message) for rule in concerned)
                continue
            if tried is not None:
                trial, layers = tried
                self.isolation = self.isolation or " ".join(layers)
                for rule in concerned:
                    yield from guard(rule, rule.findings(trial))

    def _check_release(self, rules: Iterable[Rule], target: Contract) -> Iterator[Outcome]:
        """Yield the findings and the undecided rules on one release.

        If another form loads, a form that does not load is a single finding (HS218).
        """
        rules = [rule for rule in rules if rule.concerns(target)]
        loads = [self._load(reader, target) for reader in self._readers]
        works = next((load for load in loads if load.works), None)
        failed = [load for load in loads if works and load.has_failed]
        for rule in rules:
            for load in failed if rule.subject == "forms" else ():
                yield from guard(rule, rule.findings(load, works))
        loads_to_check = [load for load in loads if load not in failed]
        found = [list(self._check_load(rules, load)) for load in loads_to_check]
        for load, outcomes in zip(loads_to_check, found, strict=True):
            yield from (one if all(one in other for other in found) else _name_form(one, load) for one in outcomes)

    def _check_load(self, rules: Iterable[Rule], load: Load) -> Iterator[Outcome]:
        """Yield the findings and the undecided rules in one load."""
        for rule in rules:
            if rule.subject == "forms":
                continue
            reason = _explain_undecided(load, rule.statuses)
            if reason is None or rule.subject == "registration":
                yield from guard(
                    rule, rule.findings(load) if rule.subject == "load" else check_registrations(rule, load)
                )
            # A plugin that another loader loads does not make the calls that the rule checks.
            if reason is not None and not load.has_other_loader and _may_call(load.plugin, rule):
                is_read = rule.subject == "registration" and is_register_called(load.plugin)
                yield NotRun(rule.code, f"{reason}{_SOURCE_ONLY if is_read else ''}")

    def _load(self, reader: SourceReader, target: Contract) -> Load:
        if _is_unreadable(reader.plugin, target):
            return Load(reader, target)
        try:
            ran = self._inspect(reader.plugin.located, self._installed or target.release)
        except UnavailableError:
            raise
        except HermesSdkError as error:
            self.isolation = self.isolation or " ".join(process.find_layers())
            is_needed = self._host == "auto" and isinstance(error, _UNDECIDED)
            missing = explain_no_real_host(target.release) if is_needed else ""
            return Load(reader, target, error=error, missing_host=missing)
        self.isolation = " ".join(ran.outcome["isolation"])
        self.runs.append(ran)
        return Load(reader, target, ran.outcome, missing_host=ran.missing)

    def _inspect(self, located: Located, release: str) -> Ran[Inspection]:
        """Load the plugin on the chosen host; a check never installs a host."""
        if self._host == "real" and (missing := explain_no_real_host(release, [located])):
            raise UnavailableError(f"{missing[0].upper()}{missing[1:]}.")
        limit, full = self._time_limit, self._full_isolation
        return inspect_on(
            self._host,
            located.path,
            release=release,
            time_limit=limit,
            full_isolation=full,
            form=located.form,
            plugin=located.name if located.form == "package" else "",
        )


def _name_form(outcome: Outcome, load: Load) -> Outcome:
    """Append the form of the plugin to a message, except to one about the manifest, which only one form has."""
    form = f" (as a {load.plugin.located.form})"
    if isinstance(outcome, Finding):
        return outcome if "manifest" in outcome.message else outcome._replace(message=f"{outcome.message}{form}")
    return outcome._replace(reason=f"{outcome.reason}{form}")


def _is_unreadable(plugin: Plugin, target: Contract) -> bool:
    manifest = plugin.manifest_as(choose_reader(target.behaviour))
    return manifest is not None and not isinstance(manifest.value, dict)


def _may_call(plugin: Plugin, rule: Rule) -> bool:
    """Return whether the source may call a method that a rule checks: it contains the name, or builds names."""
    names = "|".join(rule.call.split())
    return not names or any(re.search(rf"\b(?:{names})\b|register_\W", source.text) for source in plugin.sources)


def _explain_undecided(load: Load, statuses: tuple[str, ...]) -> str | None:
    """Explain why a rule for some statuses cannot be decided for a load; return None if it can."""
    if _is_unreadable(load.plugin, load.contract):
        return "the host cannot read the manifest"
    if isinstance(load.error, _UNDECIDED):
        return "; ".join(filter(None, [load.error.message.removesuffix("."), load.missing_host]))
    status = "failed" if load.error is not None else load.report["status"]
    if status in statuses:
        return None
    if status == "failed":
        return "the plugin does not load"
    reason = f"{status}: {load.report['error'] or 'the host does not import the plugin when it starts'}"
    return f"{reason}; {load.missing_host}" if load.missing_host else reason
