"""One cell: loads the plugin and runs its tests, in forks of this process, and says what came out."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat.apis import missing_apis
from hermes_sdk.compat.cells import Job
from hermes_sdk.compat.loading import Loaded, load, registered
from hermes_sdk.compat.outcomes import Outcome
from hermes_sdk.compat.testing import Tested, run_tests
from hermes_sdk.manifest import locate


def run(job: Job) -> Outcome:
    """Run a cell; this process may have no other thread."""
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
    )


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
