"""The static part of a check: what the rules find in files, without running the plugin.

It needs the standard library and PyYAML only.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, NotRun
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.source_registrations import SourceReader, UnreadableError
from hermes_sdk.contract import DOCUMENTED, parse_release

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

Outcome = Finding | NotRun


def run_static_rules(plugin: Plugin, rules: Iterable[Rule], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Run the static ones of some rules, and those about registrations on what the source says of these.

    Args:
        rules: The rules; the others are passed over.
        contracts: What the releases promise that the plugin is judged for, oldest first.
    """
    reader = SourceReader(plugin)
    loads = [Load(plugin, contract, reader=reader) for contract in contracts]
    with _pause_collection():
        for rule in rules:
            yield from _check(rule, plugin, loads)


@contextmanager
def _pause_collection() -> Generator[None]:
    """Keep the garbage collector off: syntax trees have no cycles, and it would walk them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check(rule: Rule, plugin: Plugin, loads: Sequence[Load]) -> Iterator[Outcome]:
    if rule.subject == "source":
        yield from guard(rule, _check_sources(rule, plugin))
    elif rule.subject == "plugin":
        yield from guard(rule, rule.findings(plugin))
    elif rule.subject in ("contract", "registration"):
        found = {
            load.contract.release: list(guard(rule, _check_release(rule, load)))
            for load in loads
            if concerns(rule, load.contract)
        }
        yield from merge_releases(found, [load.contract for load in loads])


def _check_release(rule: Rule, load: Load) -> Iterator[Finding]:
    if rule.subject == "contract":
        return rule.findings(load.plugin, load.contract)
    return check_registrations(rule, load)


def check_registrations(rule: Rule, load: Load) -> Iterator[Finding]:
    """Yield what a rule finds in the registrations of a load.

    It skips those of which the source does not reveal enough, and needs no library that the static part lacks.
    """
    for registration in load.registrations(*rule.call.split()):
        with suppress(UnreadableError, ModuleNotFoundError):
            yield from rule.findings(registration, load)


def _check_sources(rule: Rule, plugin: Plugin) -> Iterator[Finding]:
    for source in plugin.sources:
        if source.tree and (not rule.needs or any(text in source.text for text in rule.needs)):
            yield from rule.findings(source)


def guard(rule: Rule, findings: Iterable[Finding]) -> Iterator[Outcome]:
    """Yield what a rule finds; a rule that fails over odd input counts as not run, and the others go on."""
    try:
        yield from findings
    except Exception as error:
        yield NotRun(rule.code, f"the rule failed, which is a mistake of hermes-sdk: {type(error).__name__}: {error}")


def concerns(rule: Rule, contract: Contract) -> bool:
    """Whether a rule says anything about a release."""
    return contract.release == DOCUMENTED or parse_release(rule.since) <= parse_release(contract.release)


def merge_releases(outcomes: dict[str, list[Outcome]], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Make one of the outcomes that several releases share.

    Outcomes are the same when they differ in nothing but the name of the release; the newest one is kept. It says which
    releases it is about unless only one was asked for.

    Args:
        outcomes: By release, oldest first.
        contracts: All that was asked for.
    """
    merged: dict[object, tuple[Outcome, list[str]]] = {}
    for release, found in outcomes.items():
        for outcome in found:
            _, releases = merged.get(_mask_release(outcome, release), (None, []))
            merged[_mask_release(outcome, release)] = (outcome, [*releases, release])
    for outcome, releases in merged.values():
        yield outcome if len(contracts) == 1 else outcome._replace(releases=tuple(releases))


def _mask_release(outcome: Outcome, release: str) -> Outcome:
    if isinstance(outcome, Finding):
        return outcome._replace(message=outcome.message.replace(release, "*"), fix=outcome.fix.replace(release, "*"))
    return outcome._replace(reason=outcome.reason.replace(release, "*"))
