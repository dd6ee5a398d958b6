"""Judges a plugin for many releases: a rule runs once for all releases that tell it the same."""

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
Judge = Callable[[Rule, Load], Iterator[Finding]]

_SEVERITIES = ("error", "warning", "info")
_RELEASE = r"\d+\.\d+\.\d+"
_UNREADABLE = object()
_WORDED_BY_LIBRARIES = ("HS104", "HS110")


class UnloadedReleases:
    """Releases on which a plugin is judged without a load.

    Args:
        contracts: What the releases promise, oldest first.
    """

    def __init__(self, reader: SourceReader, contracts: Iterable[Contract]) -> None:
        self._watched = [_Watched(contract) for contract in contracts]
        watched_reader = cast("SourceReader", _WatchedReader(reader))
        self._loads = [Load(watched_reader, cast("Contract", watched)) for watched in self._watched]

    def find(self, rule: Rule, judge: Judge) -> dict[str, list[Outcome]]:
        """Return what a rule finds on each release that it concerns.

        What it found on one release also holds for the next one if everything that it read is equal there.
        """
        found: dict[str, list[Outcome]] = {}
        last: _Watched | None = None
        outcomes: list[Outcome] = []
        for load, watched in zip(self._loads, self._watched, strict=True):
            if not rule.concerns(watched.contract):
                continue
            if last is None or not last.reads_the_same(watched.contract):
                watched.reads.clear()
                outcomes = list(guard(rule, judge(rule, load)))
                last = watched
            found[watched.contract.release] = outcomes
        return found


class _Watched:
    """A contract that writes down what is read of it.

    Attributes:
        reads: How to read it once more and what it was, by name and arguments.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.reads: dict[tuple[Any, ...], tuple[Callable[[Any], Any], Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name == "behaviour":
            return _WatchedFlags(self.read)
        value = self.read((name,), attrgetter(name))
        if not callable(value):
            return value

        def call(*arguments: Any) -> Any:
            return self.read((name, *arguments), methodcaller(name, *arguments))

        return call

    def read(self, key: tuple[Any, ...], read: Callable[[Any], Any]) -> Any:
        """Read something, and write it down unless it is a function."""
        self.reads[key] = read, _UNREADABLE
        value = read(self.contract)
        if callable(value):
            del self.reads[key]
        else:
            self.reads[key] = read, value
        return value

    def reads_the_same(self, contract: Contract) -> bool:
        """Return whether all that was read here is equal in another contract."""
        for read, value in self.reads.values():
            try:
                other = read(contract)
            except KeyError:
                return False
            if other is not value and other != value:
                return False
        return True


class _WatchedFlags:
    def __init__(self, read: Callable[[tuple[Any, ...], Callable[[Any], Any]], Any]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return self._read(("behaviour", name), attrgetter(f"behaviour.{name}"))


class _WatchedReader:
    def __init__(self, reader: SourceReader) -> None:
        self.plugin = reader.plugin
        self._read = reader.read

    def read(self, watched: _Watched) -> Any:
        return watched.read(("registrations",), self._read)


def guard(rule: Rule, findings: Iterable[Finding]) -> Iterator[Outcome]:
    """Yield what a rule finds; a rule that fails over odd input counts as not run, and the others go on."""
    try:
        yield from findings
    except Exception as error:
        yield NotRun(rule.code, f"the rule failed, which is a mistake of hermes-sdk: {type(error).__name__}: {error}")


def merge_releases(outcomes: dict[str, list[Outcome]], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Make one of the outcomes that several releases share.

    Outcomes are the same when they differ in nothing but the name of the release and their severity; the newest of the
    most severe ones is kept. It says which releases it is about unless only one was asked for.

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
    """Make an error a warning if the plugin works where it matters.

    That is on the default release, or the newest of a range without it, and on the oldest that the manifest admits.

    Args:
        releases: Those that the plugin was judged for, oldest first.
        supported: Those that its manifest admits, if it says so.
    """
    if finding.severity != "error" or not finding.releases:
        return finding
    deciding = {DEFAULT if DEFAULT in releases else releases[-1]}
    if supported:
        deciding.update([release for release in releases if supported.admits(release)][:1])
    return finding if deciding.intersection(finding.releases) else finding._replace(severity="warning")


def merge_readings(outcomes: dict[str, list[Outcome]], contracts: Sequence[Contract]) -> Iterator[Outcome]:
    """Make one of equal outcomes; it says which releases it is about unless it is about all of them.

    Errors of YAML libraries are equal if they have the same place; the words of the newest release are kept.

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
