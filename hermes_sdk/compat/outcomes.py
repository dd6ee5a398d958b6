"""Outcomes of the cells of one plugin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hermes_sdk.compat.cells import Cell
from hermes_sdk.contract import api_releases, is_modelled, is_proven, parse_release
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.manifest import Form

Verdict = Literal["passes", "fails", "lacks", "unknown"]


@dataclass(frozen=True)
class Tests:
    """Counts of the plugin's own tests.

    Attributes:
        passed: How many passed.
        failed: How many failed, those that could not be collected included.
        skipped: How many were skipped or expected to fail.
        failures: The names of those that failed, as pytest calls them.
        unsupported: The names of those that touched what the embedded host does not model; they show nothing.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The entry of ``tests`` in the schema ``hermes-sdk.compat/1``."""
        return {**vars(self), "failures": list(self.failures), "unsupported": list(self.unsupported)}

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Tests:
        """Read what `as_json` wrote."""
        lists = (tuple(facts["failures"]), tuple(facts["unsupported"]))
        return cls(facts["passed"], facts["failed"], facts["skipped"], *lists)


@dataclass(frozen=True)
class Outcome:
    """Outcome of one cell.

    Attributes:
        cell: Where it was; after an embedded host that fell short, the real host.
        loads: Whether the plugin loads; None when that is not known, and `error` says why.
        error: Why it does not load, or why the tests could not run; None when all went well.
        registered: What the plugin registered: kind to sorted names; kinds without a name are left out.
        tests: How its tests went; None when they were not run.
        missing_apis: What the plugin uses and the release lacks, sorted.
        log: What there is to read about it.
        rerun: Whether the embedded host ran before.
        reason: What was reached that the embedded host does not model.
    """

    cell: Cell
    loads: bool | None
    error: str | None = None
    registered: Mapping[str, list[str]] = field(default_factory=dict)
    tests: Tests | None = None
    missing_apis: tuple[str, ...] = ()
    log: str = ""
    rerun: bool = False
    reason: str | None = None

    @property
    def verdict(self) -> Verdict:
        """The outcome in one word; ``lacks``: nothing fails, but the plugin uses what the release does not have."""
        if self.loads is False or (self.tests and self.tests.failed):
            return "fails"
        if self.loads is None or self.tests is None or self.tests.unsupported:
            return "unknown"
        return "lacks" if self.missing_apis else "passes"

    def as_json(self) -> dict[str, Any]:
        """The entry of ``releases`` in the schema ``hermes-sdk.compat/1``."""
        return {
            "release": self.cell.release,
            "host": self.cell.host,
            "python": self.cell.python,
            "rerun": self.rerun,
            "reason": self.reason,
            "grade": self.cell.grade,
            "verdict": self.verdict,
            "loads": self.loads,
            "error": self.error,
            "registered": dict(self.registered),
            "tests": None if self.tests is None else self.tests.as_json(),
            "missing_apis": list(self.missing_apis),
        }

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Outcome:
        """Read what `as_json` wrote in another process, with the log beside it."""
        tests = facts["tests"]
        return cls(
            Cell(facts["host"], facts["release"], facts["python"]),
            facts["loads"],
            facts["error"],
            registered=facts["registered"],
            tests=tests and Tests.read(tests),
            missing_apis=tuple(facts["missing_apis"]),
            log=facts["log"],
            rerun=facts["rerun"],
            reason=facts["reason"],
        )


@dataclass(frozen=True)
class Matrix:
    """The outcomes of one plugin.

    Attributes:
        plugin: Its name.
        path: Where it is, as reports name it.
        form: The form in which it was run.
        requires: What its manifest says with ``requires_hermes``; None when it says nothing.
        outcomes: In the order of the cells.
        not_run: What the plugin uses and a release lacks, by release: those before the first modelled one that no cell
            runs, oldest first.
    """

    plugin: str
    path: str
    requires: str | None
    outcomes: tuple[Outcome, ...]
    not_run: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form: Form = "directory"

    @property
    def never_loads(self) -> bool:
        """Return whether the plugin loads in no cell, and the cells tell."""
        return all(one.loads is False for one in self.outcomes)

    @property
    def passing(self) -> dict[str, bool]:
        """The releases whose runs are reliable and tell something, oldest first, and whether the plugin passes in all.

        A release of which only the real or only the embedded host knows nothing is judged by the other one.
        """
        found: dict[str, bool] = {}
        for one in self.outcomes:
            if one.cell.is_reliable and one.verdict != "unknown" and not one.cell.is_revision:
                found[one.cell.release] = found.get(one.cell.release, True) and one.verdict == "passes"
        return dict(sorted(found.items(), key=lambda item: parse_release(item[0])))

    @property
    def judged(self) -> dict[str, bool]:
        """Return whether the plugin works in each release that tells where its range begins and ends, oldest first.

        Besides those of `passing`, they are the ones whose APIs are known although the embedded host is not proven for
        them. These say which APIs are missing, and nothing else: where none is, the plugin works if it does in the
        release before, or if that one lacks an API. In a release that is not modelled, only a real host can show that
        it works.
        """
        cells = [one for one in self.outcomes if not one.cell.is_revision]
        lacking = {one.cell.release for one in cells if one.missing_apis}
        passing, found = self.passing, dict[str, bool]()
        before = ""
        for release in sorted({one.cell.release for one in cells} & {*passing, *api_releases()}, key=parse_release):
            if release in passing or release in lacking:
                found[release] = release not in lacking and passing[release]
            elif not is_modelled(release):
                found[release] = False
            elif not is_proven(release) and before in found:
                found[release] = found[before] or before in lacking
            else:
                continue
            before = release
        unknown = dict.fromkeys(self.not_run, False)
        return dict(sorted({**unknown, **found}.items(), key=lambda item: parse_release(item[0]))) if found else {}

    @property
    def floor(self) -> str | None:
        """The oldest release of the newest ones in which the plugin works without a gap; None when it does in none.

        In a plugin that the newest releases break, those are left out at the end.
        """
        floor = None
        for release, works in reversed(self.judged.items()):
            if works:
                floor = release
            elif floor:
                break
        return floor

    @property
    def broken(self) -> tuple[Outcome, ...]:
        """The outcomes that break the promise of the manifest: a reliable run fails in a release that it admits.

        A manifest that says nothing, or what no host can read, admits every release.
        """
        return tuple(
            one
            for one in self.outcomes
            if one.verdict == "fails" and one.cell.is_reliable and self.admits(one.cell.release)
        )

    def admits(self, release: str) -> bool:
        """Return whether the manifest says that the plugin is for a release."""
        if self.requires is None or ":" in release:
            return True
        try:
            return Supported.parse(self.requires).admits(release)
        except ValueError:
            return True

    def as_json(self) -> dict[str, Any]:
        """The schema ``hermes-sdk.compat/1``."""
        return {
            "schema": "hermes-sdk.compat/1",
            "plugin": self.plugin,
            "path": self.path,
            "form": self.form,
            "requires_hermes": self.requires,
            "floor": self.floor,
            "releases": [one.as_json() for one in self.outcomes],
            "not_run": [
                {"release": release, "missing_apis": list(missing)} for release, missing in self.not_run.items()
            ],
        }
