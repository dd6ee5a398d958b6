"""One cell: loads the plugin and runs its tests, in forks of this process, and says what came out."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat.apis import missing_apis
from hermes_sdk.compat.cells import Job
from hermes_sdk.compat.loading import Loaded, load, registered
from hermes_sdk.compat.outcomes import Outcome
from hermes_sdk.compat.testing import Tested, run_tests
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.staging import HostChoice, list_unsupported_in, run_on_host, to_clause
from hermes_sdk.manifest import locate


def run(job: Job) -> Outcome:
    """Run a cell; this process may have no other thread."""
    choice: HostChoice = "auto" if job.is_auto else job.cell.host
    plugins = [locate(Path(job.path))]
    try:
        ran = run_on_host(choice, job.cell.release, lambda kind: _run(job.on(kind)), _list_unsupported, plugins)
    except UsageError as error:
        return Outcome(job.cell, None, error.message, log=str(error))
    problem = "; ".join(filter(None, [ran.outcome.error, ran.missing])) or None
    return replace(ran.outcome, error=problem, rerun=ran.rerun, reason=ran.reason)


def _list_unsupported(outcome: Outcome) -> list[str]:
    return [outcome.reason] if outcome.reason else []


def _run(job: Job) -> Outcome:
    loaded, tested = _load_and_test(job)
    if not loaded.available:
        return Outcome(job.cell, None, loaded.error, log=loaded.log)
    release = job.cell.release
    # What a revision of the repository has nobody knows.
    is_known = contract.grade(release) is not None
    names = registered(loaded.report) if loaded.report else {}
    kind = loaded.report["plugin"]["kind"] if loaded.report else None
    return Outcome(
        job.cell,
        loaded.loads,
        loaded.error or tested.problem,
        registered=names,
        tests=tested.tests,
        missing_apis=missing_apis(_plugin(job.path), contract.load(release), names, kind) if is_known else (),
        log="\n".join(filter(None, [loaded.log, tested.log])),
        reason="; ".join(_list_reasons(loaded, tested)) or None,
    )


def _list_reasons(loaded: Loaded, tested: Tested) -> list[str]:
    """List what the plugin and its tests reached that the embedded host does not model."""
    found = list_unsupported_in(loaded.report) if loaded.report else []
    return list(dict.fromkeys([*found, *map(to_clause, tested.reached)]))


def _load_and_test(job: Job) -> tuple[Loaded, Tested]:
    if job.cell.host == "real":
        # The server of a real host takes longer to start than a plugin to load, so one process does both where it can.
        tested = run_tests(job, load_before=True)
        return tested.loaded or load(job), tested
    loaded = load(job)
    return loaded, run_tests(job) if loaded.available else Tested(None)


@lru_cache(maxsize=4)
def _plugin(path: str) -> Plugin:
    return Plugin(locate(Path(path)), Path(path))


def forget_plugins() -> None:
    """Read each plugin anew when it is asked for next."""
    _plugin.cache_clear()
