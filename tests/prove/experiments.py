"""Runs of the conformance cases on a release: on its real host, and on the embedded host with chosen settings.

Each run of a case on the embedded host uses its own process, so that it is not affected by other settings. Real hosts
are forked from a server in each worker.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from conformance.case import Case, all_cases, run, without_handlers
from conformance.differences import list_differences
from conformance.outcomes import digest_driver
from conformance.whole_turns import WholeTurn, applies, play, whole_turns

from hermes_sdk import contract
from hermes_sdk.contract.behaviour import FLAGS, Behaviour
from hermes_sdk.contract.loader import find_settings
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import compare, format_value

FOLDER = Path(__file__).parents[2] / "build" / "prove"
WORKERS = (os.cpu_count() or 1) + 2
ATTEMPTS = 3
"""The number of runs on the real host if there are differences, because the order of concurrent actions varies."""

Settings = Mapping[str, bool]
Shown = Mapping[str, Any]
Difference = tuple[str, Any, Any]
"""A path, the value on the embedded host, and the value on the real host."""


@dataclass(frozen=True)
class Measurement:
    """Comparison of the embedded host with a release.

    Attributes:
        cases: The IDs of the cases and scenarios that ran.
        differences: ID -> the differences between the hosts.
        flags: Settings that differ from those that follow from the dates of the flags.
        unverified: Flag -> the ID of its case, which differs with both settings.
    """

    cases: tuple[str, ...]
    differences: Mapping[str, tuple[Difference, ...]]
    flags: Settings
    unverified: Mapping[str, str]


def measure(release: str, host: str, pattern: str, say: Callable[[str], None]) -> Measurement:
    """Compare both hosts with all cases and scenarios of a release, and measure its flags.

    Args:
        release: The release, which has a contract.
        host: The name of its real host; earlier results of cases on this host are reused.
        pattern: A text that the IDs of cases and scenarios must contain.
        say: Reports progress.
    """
    cases = {one.id: one for one in list_cases(release) if pattern in one.id}
    dated = find_settings(release)
    real = _show_real(cases, release, host, say)
    tested = {name: flag.case for name, flag in FLAGS.items() if flag.case in cases}
    say(f"{len(tested)} flags on the embedded host, each on and off")
    settings = find_flags(release, {name: (one, real[one]) for name, one in tested.items()}, dated)
    say(f"{len(cases)} cases on the embedded host")
    embedded = dict(zip(cases, _map_parallel(run_embedded, [(one, release, settings) for one in cases]), strict=True))
    differences = find_differences(embedded, real)
    for _ in range(ATTEMPTS - 1):
        again = _map_parallel(run_real, [(name, release) for name in differences])
        repeated = find_differences(embedded, dict(zip(differences, again, strict=True)))
        differences = {name: found for name, found in differences.items() if name in repeated}
    turns = [one for one in whole_turns() if applies(one, release) and pattern in one.id]
    say(f"{len(turns)} scenarios on both hosts")
    for turn, found in zip(turns, _map_parallel(_play, [(one, release, settings) for one in turns]), strict=True):
        if found:
            differences[turn.id] = found
    return Measurement(
        (*cases, *(one.id for one in turns)),
        differences,
        {name: on for name, on in settings.items() if on != dated[name]},
        {name: one for name, one in tested.items() if one in differences},
    )


def _show_real(cases: Mapping[str, Case], release: str, host: str, say: Callable[[str], None]) -> dict[str, Shown]:
    """Return the results of cases on the real host; only cases that have changed since their last run are run."""
    file = FOLDER / f"{host.replace(' ', '-')}.json"
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    digests = {name: f"{one.digest} {digest_driver()}" for name, one in cases.items()}
    new = [name for name in cases if before.get(name, ("",))[0] != digests[name]]
    say(f"{len(cases)} cases on the real host, {len(new)} of them new or changed")
    FOLDER.mkdir(parents=True, exist_ok=True)
    shown = dict(before)
    try:
        for name, one in zip(new, _map_parallel(run_real, [(name, release) for name in new]), strict=True):
            shown[name] = digests[name], one
    finally:
        file.write_text(json.dumps(shown), encoding="utf-8")
    return {name: shown[name][1] for name in cases}


def list_cases(release: str) -> list[Case]:
    """Return the cases that compare both hosts with a release."""
    return [
        one
        for one in all_cases()
        if one.has(release) and not one.refused and not one.known and (one.releases is None or release in one.releases)
    ]


def find_flags(release: str, proofs: Mapping[str, tuple[str, Shown]], dated: Settings) -> dict[str, bool]:
    """Return the settings of all flags: a flag is changed if its case equals the real host only with the change.

    Args:
        release: The release.
        proofs: Flag -> the ID of its case, and the result on the real host.
        dated: The settings that follow from the dates of the flags.
    """
    settings = dict(dated)
    remaining = dict(proofs)
    while remaining:
        runs = [
            (case, release, {**settings, name: on}) for name, (case, _) in remaining.items() for on in (False, True)
        ]
        shown = _map_parallel(run_embedded, runs)
        equal = {
            name: tuple(not any(list_differences("", next(shown), seen)) for _ in range(2))
            for name, (_, seen) in remaining.items()
        }
        turned = [name for name, found in equal.items() if found[not settings[name]] and not found[settings[name]]]
        for name in turned:
            settings[name] = not settings[name]
        # Some cases become equal only after another flag has been changed.
        remaining = {name: proofs[name] for name, found in equal.items() if turned and found == (False, False)}
    return settings


def set_flags(release: str, settings: Settings) -> None:
    """Set the flags of embedded hosts in this process."""
    vars(contract.load(release))["behaviour"] = Behaviour(settings)


def find_differences(embedded: Mapping[str, Shown], real: Mapping[str, Shown]) -> dict[str, tuple[Difference, ...]]:
    """Return the differences of the cases that ran on the real host, by ID, except for equal cases."""
    found = {name: tuple(list_differences("", embedded[name], shown)) for name, shown in real.items()}
    return {name: differences for name, differences in found.items() if differences}


def _map_parallel(run_one: Callable[..., Any], runs: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield the results of a function for several runs, which run in parallel."""
    tasks = 1 if run_one is run_embedded else None
    with get_context("fork").Pool(WORKERS, initializer=_begin_worker, maxtasksperchild=tasks) as pool:
        yield from pool.imap(partial(_call, run_one), runs)


def _begin_worker() -> None:
    """Ignore Ctrl-C, which the parent handles, and name the main thread, because a pool forks from another thread."""
    os.setpgrp()
    threading.current_thread().name = "MainThread"


def _call(run_one: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return run_one(*arguments)


def run_real(name: str, release: str) -> Shown:
    """Return the result of a case on the real host."""
    return _run(name, "real", release)


def run_embedded(name: str, release: str, settings: Settings) -> Shown:
    """Return the result of a case on the embedded host with these settings."""
    set_flags(release, settings)
    return _run(name, "embedded", release)


def _run(name: str, kind: HostKind, release: str) -> Shown:
    one = next(each for each in all_cases() if each.id == name)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hermes-sdk-") as folder,
            without_handlers(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            return run(one, kind, release, Path(folder))
    except Exception as error:
        # A case that fails on both hosts must not count as equal, so include the host to make the results differ.
        return {"failed on": kind, "error": f"{type(error).__name__}: {error}"}


def _play(one: WholeTurn, release: str, settings: Settings) -> tuple[Difference, ...]:
    """Return the differences of a scenario; it may run several times on the real host."""
    set_flags(release, settings)
    embedded = play(one, "embedded", release)
    found: list[Difference] = []
    for _ in range(ATTEMPTS):
        real = play(one, "real", release)
        # Format the values here, because the marker for a missing value cannot be sent to another process.
        found = [
            (f"{each.event} {each.path}".strip(), format_value(each.left), format_value(each.right))
            for each in compare(embedded, real)
        ]
        found += [("problems", list(embedded.problems), list(real.problems))] * bool(embedded.problems or real.problems)
        if not found:
            break
    return tuple(found)
