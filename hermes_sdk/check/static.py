"""Static part of a check: runs the rules that read files, without running the plugin.

It needs only the standard library and the YAML libraries.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import Outcome, UnloadedReleases, guard, merge_readings, merge_releases
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.source_registrations import SourceReader, UnreadableError
from hermes_sdk.manifest.load import choose_reader

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract


def run_static_rules(plugin: Plugin, rules: Iterable[Rule], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Run static rules, and rules about registrations on the source of the plugin.

    Args:
        rules: The rules; all other kinds are skipped.
        contracts: The contracts of the checked releases, oldest first.
    """
    with _pause_collection():
        releases = UnloadedReleases(SourceReader(plugin), contracts)
        for rule in rules:
            if rule.subject == "source":
                yield from guard(rule, _check_sources(rule, plugin))
            elif rule.subject == "plugin" and not (rule.behaviour or rule.until):
                yield from guard(rule, rule.findings(plugin))
            elif rule.subject == "yaml":
                yield from merge_readings(_check_readings(rule, plugin, contracts), contracts)
            elif rule.subject in ("plugin", "contract"):
                yield from merge_releases(releases.find(rule, _check_release), contracts)
            elif rule.subject == "registration":
                yield from merge_releases(releases.find(rule, check_registrations), contracts)


@contextmanager
def _pause_collection() -> Generator[None]:
    """Disable the garbage collector, which would repeatedly traverse the syntax trees; they have no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check_readings(rule: Rule, plugin: Plugin, contracts: Iterable[Contract]) -> dict[str, list[Outcome]]:
    """Run a rule once for each YAML reader, and return its outcomes by release."""
    readers = {contract.release: choose_reader(contract.behaviour) for contract in contracts}
    found = {reader: list(guard(rule, rule.findings(plugin, reader))) for reader in {*readers.values()}}
    return {release: found[reader] for release, reader in readers.items()}


def _check_release(rule: Rule, load: Load) -> Iterator[Finding]:
    return rule.findings(load.plugin) if rule.subject == "plugin" else rule.findings(load.plugin, load.contract)


def check_registrations(rule: Rule, load: Load) -> Iterator[Finding]:
    """Yield the findings of a rule in the registrations of a load.

    Skips a registration if the source does not reveal enough, or if the rule needs a library that is not installed.
    """
    for registration in load.registrations(*rule.call.split()):
        with suppress(UnreadableError, ModuleNotFoundError):
            yield from rule.findings(registration, load)


def _check_sources(rule: Rule, plugin: Plugin) -> Iterator[Finding]:
    for source in plugin.sources:
        if source.tree and (not rule.needs or any(text in source.text for text in rule.needs)):
            yield from rule.findings(source)
