"""One cell: loads the plugin and runs its tests, each in a fork of this process, and says what came out."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat.apis import missing_apis
from hermes_sdk.compat.cells import Job
from hermes_sdk.compat.loading import load, registered
from hermes_sdk.compat.outcomes import Outcome
from hermes_sdk.compat.testing import run_tests
from hermes_sdk.manifest import locate


def run(job: Job) -> Outcome:
    """Run a cell; this process may have no other thread."""
    loaded = load(job)
    if not loaded.available:
        return Outcome(job.cell, None, loaded.error, log=loaded.log)
    release = job.cell.release
    # What a revision of the repository has nobody knows.
    is_known = contract.grade(release) is not None
    tested = run_tests(job)
    return Outcome(
        job.cell,
        loaded.loads,
        loaded.error or tested.problem,
        registered=registered(loaded.report) if loaded.report else {},
        tests=tested.tests,
        missing_apis=missing_apis(_plugin(job.path), contract.load(release), loaded.report) if is_known else (),
        log="\n".join(filter(None, [loaded.log, tested.log])),
    )


@lru_cache(maxsize=4)
def _plugin(path: str) -> Plugin:
    return Plugin(locate(Path(path)), Path(path))


def forget_plugins() -> None:
    """Read each plugin anew when it is asked for next."""
    _plugin.cache_clear()
