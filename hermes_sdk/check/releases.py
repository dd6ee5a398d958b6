"""Checks a plugin for several releases; a rule runs once for releases whose facts are equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, cast

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Finding, NotRun
from hermes_sdk.check.rule import Rule
from hermes_sdk.contract.loader import DEFAULT
from hermes_sdk.contract.ordering import Supported

if TYPE_CHECKING:
    from hermes_sdk.check.source_registrations import SourceReader
    from hermes_sdk.contract import Contract

Outcome = Finding | NotRun
RuleRunner = Callable[[Rule, Load], Iterator[Finding]]

_SEVERITIES = ("error", "warning", "info")
_RELEASE = r"\d+\.\d+\.\d+"
_UNREADABLE = object()
_WORDED_BY_LIBRARIES = ("HS104", "HS110")


class UnloadedReleases:
    """Releases for which a plugin is checked without loading it.

    Args:
        contracts: The contracts of the releases, oldest first.
    """

    def __init__(self, reader: SourceReader, contracts: Iterable[Contract]) -> None:
        self._contracts = [_RecordedContract(contract) for contract in contracts]
        recorded_reader = cast("SourceReader", _RecordedReader(reader))
        self._loads = [Load(recorded_reader, cast("Contract", recorded)) for recorded in self._contracts]

    def find(self, rule: Rule, run_rule: RuleRunner) -> dict[str, list[Outcome]]:
        """Return the outcomes of a rule for each release that it applies to.

        The outcomes for one release are reused for the next if all facts that the rule read are equal there.
        """
        found: dict[str, list[Outcome]] = {}
        last: _RecordedContract | None = None
        outcomes: list[Outcome] = []
        for load, recorded in zip(self._loads, self._contracts, strict=True):
            if not rule.concerns(recorded.contract):
                continue
            if last is None or not last.has_equal_facts(recorded.contract):
                recorded.reads.clear()
                outcomes = list(guard(rule, run_rule(rule, load)))
                last = recorded
            found[recorded.contract.release] = outcomes
        return found


class _RecordedContract:
    """Proxy of a contract that records the facts that are read.

    Attributes:
        reads: The function that reads a fact and its value, by name and arguments.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.reads: dict[tuple[Any, ...], tuple[Callable[[Any], Any], Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name == "behaviour":
            return _RecordedFlags(self.read)
        value = self.read((name,), attrgetter(name))
        if not callable(value):
            return value

        def call(*arguments: Any) -> Any:
            return self.read((name, *arguments), methodcaller(name, *arguments))

        return call

    def read(self, key: tuple[Any, ...], read: Callable[[Any], Any]) -> Any:
        """Read a fact and record it, unless it is a function."""
        self.reads[key] = read, _UNREADABLE
        value = read(self.contract)
        if callable(value):
            del self.reads[key]
        else:
            self.reads[key] = read, value
        return value

    def has_equal_facts(self, contract: Contract) -> bool:
        """Return whether all recorded facts are equal in another contract."""
        for read, value in self.reads.values():
            try:
                other = read(contract)
            except KeyError:
                return False
            if other is not value and other != value:
                return False
        return True


class _RecordedFlags:
    def __init__(self, read: Callable[[tuple[Any, ...], Callable[[Any], Any]], Any]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return self._read(("behaviour", name), attrgetter(f"behaviour.{name}"))


class _RecordedReader:
    def __init__(self, reader: SourceReader) -> None:
        self.plugin = reader.plugin
        self._read = reader.read

    def read(self, recorded: _RecordedContract) -> Any:
        return recorded.read(("registrations",), self._read)


def guard(rule: Rule, findings: Iterable[Finding]) -> Iterator[Outcome]:
    """Yield the findings of a rule; if it raises an exception, it counts as not run."""
    try:
        yield from findings
    except Exception as error:
        yield NotRun(rule.code, f"the rule failed, which is a bug in hermes-sdk: {type(error).__name__}: {error}")


def merge_releases(outcomes: dict[str, list[Outcome]], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Merge equal outcomes of several releases.

    Outcomes are equal if they differ only in the severity and the names of releases. The newest of the most severe
    outcomes is kept, and lists its releases if there are several contracts.

    Args:
        outcomes: By release, oldest first.
    """
    merged: dict[object, list[tuple[Outcome, str]]] = {}
    for release, found in outcomes.items():
        for outcome in found:
            merged.setdefault(_mask_releases(outcome), []).append((outcome, release))
    for same in merged.values():
        worst = min(_rank(outcome) for outcome, _ in same)
        kept = [(outcome, release) for outcome, release in same if _rank(outcome) == worst]
        releases = tuple(release for _, release in kept)
        yield kept[-1][0] if len(contracts) == 1 else kept[-1][0]._replace(releases=releases)


def limit_severity(finding: Finding, releases: Sequence[str], supported: Supported | None) -> Finding:
    """Downgrade an error to a warning if it affects none of the releases that matter most.

    These are the default release, or the newest one if the range excludes the default, and the oldest release that the
    manifest admits.

    Args:
        releases: The checked releases, oldest first.
        supported: The range in the manifest, if there is one.
    """
    if finding.severity != "error" or not finding.releases:
        return finding
    deciding = {DEFAULT if DEFAULT in releases else releases[-1]}
    if supported:
        deciding.update([release for release in releases if supported.admits(release)][:1])
    return finding if deciding.intersection(finding.releases) else finding._replace(severity="warning")


def merge_readings(outcomes: dict[str, list[Outcome]], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Merge equal outcomes of several releases; an outcome lists its releases unless it applies to all.

    Errors of YAML libraries are equal if they have the same place; the message of the newest release is kept.

    Args:
        outcomes: By release, oldest first.
    """
    merged: dict[Outcome, tuple[Outcome, list[str]]] = {}
    for release, found in outcomes.items():
        for outcome in found:
            key = outcome
            if isinstance(outcome, Finding) and outcome.code in _WORDED_BY_LIBRARIES:
                key = outcome._replace(message="")
            merged[key] = outcome, [*merged.get(key, (outcome, []))[1], release]
    for outcome, releases in merged.values():
        yield outcome if len(releases) == len(contracts) else outcome._replace(releases=tuple(releases))


def _rank(outcome: Outcome) -> int:
    return _SEVERITIES.index(outcome.severity) if isinstance(outcome, Finding) else 0


def _mask_releases(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Finding):
        message, fix = (re.sub(_RELEASE, "*", text) for text in (outcome.message, outcome.fix))
        return outcome._replace(message=message, fix=fix, severity="error")
    return outcome._replace(reason=re.sub(_RELEASE, "*", outcome.reason))
