"""Runs the rules over a plugin: static ones on its files, the others on what a child process saw of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk import contract
from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, NotRun, Profile, Result, ToConfirm
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.rules.base import LoadRule, ManualRule, OnlineRule, Rule, RuntimeRule
from hermes_sdk.check.static import Outcome, by_release, concerns, guarded, static_outcomes
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.manifest import locate

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

TIME_LIMIT = 30.0
"""Seconds that a plugin has for loading."""


@dataclass(frozen=True)
class Options:
    """What to check, and how.

    Attributes:
        releases: The releases of Hermes Agent that the plugin is judged for, oldest first.
        static: Whether to leave out the rules that run the plugin.
        online: Whether rules may use the network.
        profile: ``catalog`` adds the admission rules of the public catalog.
        time_limit: Seconds that the plugin has for loading.
    """

    releases: tuple[str, ...] = (contract.DEFAULT,)
    static: bool = False
    online: bool = False
    profile: Profile = "default"
    time_limit: float = TIME_LIMIT

    @property
    def rules(self) -> Iterator[Rule]:
        """The rules of the profile."""
        return (rule for rule in RULES if rule.profile in ("default", self.profile))


def check(path: Path, options: Options | None = None) -> Result:
    """Check one plugin.

    Static rules only read its files. For the other rules a child process loads the plugin on the embedded host, in a
    temporary home and with a time limit; what that does to the child becomes a finding.

    Args:
        path: A plugin directory, or a project that holds one (see `hermes_sdk.manifest.locate`).
        options: What to check, and how.

    Returns:
        The findings, and the rules that could not be decided.

    Raises:
        UsageError: There is no plugin at the path, or a release is not known.
        UnavailableError: The machine cannot run the child process.
    """
    options = options or Options()
    contracts = [contract.load(release) for release in options.releases]
    base = path if path.is_dir() else path.parent
    plugin = Plugin(locate(path), base)
    outcomes = [*static_outcomes(plugin, options.rules, contracts)]
    if options.online:
        outcomes += _online(plugin, options)
    if not options.static:
        outcomes += _runtime(plugin, options, contracts)
    findings = {each for each in outcomes if isinstance(each, Finding)}
    not_run = {each for each in outcomes if isinstance(each, NotRun)}
    questions = (ToConfirm(rule.code, rule.question) for rule in options.rules if isinstance(rule, ManualRule))
    return Result(
        path.as_posix(),
        base,
        tuple(sorted(findings, key=_place)),
        tuple(sorted(not_run, key=lambda each: (each.code, each.reason))),
        tuple(questions),
        options.releases,
    )


def _place(finding: Finding) -> tuple[Any, ...]:
    return finding.path, finding.line, finding.code, finding.column, finding.message, finding.releases


def _online(plugin: Plugin, options: Options) -> Iterator[Outcome]:
    for rule in options.rules:
        if isinstance(rule, OnlineRule):
            try:
                yield from rule.check(plugin)
            except UnavailableError as error:
                yield NotRun(rule.code, error.message)


def _runtime(plugin: Plugin, options: Options, contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """What the rules find that need the plugin to load, and which of them could not be decided."""
    found = {judged.release: list(_loaded(plugin, options, judged)) for judged in contracts}
    return by_release(found, contracts)


def _loaded(plugin: Plugin, options: Options, judged: Contract) -> Iterator[Outcome]:
    rules = [rule for rule in options.rules if isinstance(rule, LoadRule | RuntimeRule) and concerns(rule, judged)]
    if plugin.manifest and not isinstance(plugin.manifest.value, dict):
        yield from _not_run(rules, "the host cannot read the manifest")
        return
    load = _load(plugin, judged, options.time_limit)
    reason = _undecided(load)
    for rule in rules:
        if reason or (isinstance(rule, RuntimeRule) and not load.loaded):
            yield NotRun(rule.code, reason or "the plugin does not load")
        else:
            yield from guarded(rule, partial(rule.check, load))


def _load(plugin: Plugin, judged: Contract, time_limit: float) -> Load:
    from hermes_sdk.hosts.show import inspect_plugin

    try:
        located = plugin.located
        where = located.directory if located.manifest else located.project
        seen = inspect_plugin(where, release=judged.release, time_limit=time_limit)
    except UnavailableError:
        raise
    except HermesSdkError as error:
        return Load(plugin, judged, error=error)
    return Load(plugin, judged, seen)


def _undecided(load: Load) -> str | None:
    """Why the load tells nothing about the plugin, None when it does."""
    if isinstance(load.error, UsageError):
        return load.error.message
    if load.error is not None or load.report["status"] in ("loaded", "failed"):
        return None
    return f"{load.report['status']}: {load.report['error'] or 'the host does not import the plugin when it starts'}"


def _not_run(rules: Iterable[Rule], reason: str) -> Iterator[NotRun]:
    return (NotRun(rule.code, reason) for rule in rules)
