"""Outcomes of a plugin's cells."""

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
    """Results of the plugin's own tests.

    Attributes:
        passed: The number of passed tests.
        failed: The number of failed tests, including those that could not be collected.
        skipped: The number of tests that were skipped or expected to fail.
        failures: The node ids of failed tests.
        unsupported: The node ids of tests that reached anything that the embedded host does not model, so that their
            results count neither way.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the entry ``tests`` of the schema ``hermes-sdk.compat/1``."""
        return {**vars(self), "failures": list(self.failures), "unsupported": list(self.unsupported)}

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Tests:
        """Read the result of `as_json`."""
        lists = (tuple(facts["failures"]), tuple(facts["unsupported"]))
        return cls(facts["passed"], facts["failed"], facts["skipped"], *lists)


@dataclass(frozen=True)
class Outcome:
    """Outcome of one cell.

    Attributes:
        cell: The cell; that of the real host if the embedded host fell back to it.
        loads: Whether the plugin loads; None if unknown for the reason in `error`.
        error: Why it does not load, or why the tests could not run; else None.
        registered: The sorted names that the plugin registered, by kind; kinds without names are omitted.
        tests: The results of its tests; None if they were not run.
        missing_apis: The APIs that the plugin uses and the release lacks, sorted.
        log: The captured output.
        rerun: Whether the embedded host was tried first.
        reason: The feature that was reached and that the embedded host does not model.
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
        """The outcome in one word; ``lacks`` means that nothing fails, but the release lacks APIs of the plugin."""
        if self.loads is False or (self.tests and self.tests.failed):
            return "fails"
        if self.loads is None or self.tests is None or self.tests.unsupported:
            return "unknown"
        return "lacks" if self.missing_apis else "passes"

    def as_json(self) -> dict[str, Any]:
        """Return the entry of ``releases`` in the schema ``hermes-sdk.compat/1``."""
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
        """Read the result of `as_json`, extended by the log, from another process."""
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
        path: Its path in reports.
        form: The form in which it was run.
        requires: The value of ``requires_hermes`` in its manifest, or None.
        outcomes: The outcomes, in the order of the cells.
        not_run: The missing APIs by release, for releases before the first modelled one that no cell runs, oldest
            first.
    """

    plugin: str
    path: str
    requires: str | None
    outcomes: tuple[Outcome, ...]
    not_run: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form: Form = "directory"

    @property
    def never_loads(self) -> bool:
        """Return whether the plugin is known not to load in any cell."""
        return all(one.loads is False for one in self.outcomes)

    @property
    def passing(self) -> dict[str, bool]:
        """Return whether the plugin passes on each release with reliable and conclusive runs, oldest first.

        If the result of either the real or the embedded host is unknown, the other one decides.
        """
        found: dict[str, bool] = {}
        for one in self.outcomes:
            if one.cell.is_reliable and one.verdict != "unknown" and not one.cell.is_revision:
                found[one.cell.release] = found.get(one.cell.release, True) and one.verdict == "passes"
        return dict(sorted(found.items(), key=lambda item: parse_release(item[0])))

    @property
    def judged(self) -> dict[str, bool]:
        """Return whether the plugin works on each release that can limit its range, oldest first.

        These are the releases of `passing`, and those whose APIs are known although the embedded host is not proven for
        them. The latter only show which APIs are missing: without missing APIs, the plugin counts as working if it
        works on the previous release, or if that one lacks an API. On a release that is not modelled, only a real host
        can show that the plugin works.
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
        """The oldest release from which on the plugin works without a gap; None if it works on no release.

        Failures on the newest releases are ignored.
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
        """The outcomes that contradict the manifest: a reliable run fails on a release that the manifest admits.

        A manifest without a range, or with an invalid one, admits every release.
        """
        return tuple(
            one
            for one in self.outcomes
            if one.verdict == "fails" and one.cell.is_reliable and self.admits(one.cell.release)
        )

    def admits(self, release: str) -> bool:
        """Return whether the manifest admits a release."""
        if self.requires is None or ":" in release:
            return True
        try:
            return Supported.parse(self.requires).admits(release)
        except ValueError:
            return True

    def as_json(self) -> dict[str, Any]:
        """Return the document of the schema ``hermes-sdk.compat/1``."""
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
