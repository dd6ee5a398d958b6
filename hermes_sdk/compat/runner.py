"""Worker process that runs cells one by one: single-threaded, with all imports done, so that it can fork.

`pool` starts it in a scrubbed environment. Its protocol is JSON lines: a job, answered with its outcome, or ``null``
between two matrices.
"""

from __future__ import annotations

import gc
import json
import shutil
import signal
import socket
import sys
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat.apis import missing_apis
from hermes_sdk.compat.cells import Cell, Job
from hermes_sdk.compat.loading import Loaded, list_registered, load
from hermes_sdk.compat.outcomes import Outcome
from hermes_sdk.compat.testing import Tested, run_tests
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.processes.isolation.kernel import end_with_parent
from hermes_sdk.hosts.staging import HostChoice, list_unsupported_in, preload, run_on_host, to_clause
from hermes_sdk.manifest import Form, locate


def run(job: Job) -> Outcome:
    """Run a cell; this process must have no other thread."""
    choice: HostChoice = "auto" if job.is_auto else job.cell.host
    plugins = [locate(Path(job.path), job.form, job.plugin)]
    try:
        ran = run_on_host(choice, job.cell.release, lambda kind, _: _run_cell(job.on(kind)), _list_unsupported, plugins)
    except UsageError as error:
        return Outcome(job.cell, None, error.message, log=str(error))
    problem = "; ".join(filter(None, [ran.outcome.error, ran.missing])) or None
    return replace(ran.outcome, error=problem, rerun=ran.rerun, reason=ran.reason)


def _list_unsupported(outcome: Outcome) -> list[str]:
    return [outcome.reason] if outcome.reason else []


def _run_cell(job: Job) -> Outcome:
    loaded, tested = _load_and_test(job)
    if not loaded.available:
        return Outcome(job.cell, None, loaded.error, log=loaded.log)
    release = job.cell.release
    # The APIs of a revision of the repository are unknown.
    is_known = contract.grade(release) is not None
    names = list_registered(loaded.report) if loaded.report else {}
    kind = loaded.report["plugin"]["kind"] if loaded.report else None
    return Outcome(
        job.cell,
        loaded.loads,
        loaded.error or tested.problem,
        registered=names,
        tests=tested.tests,
        missing_apis=missing_apis(_read_plugin(job.path, job.form, job.plugin), contract.load(release), names, kind)
        if is_known
        else (),
        log="\n".join(filter(None, [loaded.log, tested.log])),
        reason="; ".join(_list_reasons(loaded, tested)) or None,
    )


def _list_reasons(loaded: Loaded, tested: Tested) -> list[str]:
    """List the features that were reached and that the embedded host does not model."""
    found = list_unsupported_in(loaded.report) if loaded.report else []
    return list(dict.fromkeys([*found, *map(to_clause, tested.reached)]))


def _load_and_test(job: Job) -> tuple[Loaded, Tested]:
    if job.cell.host == "real":
        # A real host's server takes longer to start than a plugin to load, so one process loads the plugin and runs the
        # tests.
        tested = run_tests(job, load_before=True)
        return tested.loaded or load(job), tested
    loaded = load(job)
    return loaded, run_tests(job) if loaded.available else Tested(None)


@lru_cache(maxsize=4)
def _read_plugin(path: str, form: Form, name: str) -> Plugin:
    return Plugin(locate(Path(path), form, name), Path(path))


def forget_plugins() -> None:
    """Clear the cache of plugins, so that the next cell reads them again."""
    _read_plugin.cache_clear()


def main() -> None:
    """Serve requests until the connection is closed."""
    channel = socket.socket(fileno=int(sys.argv.pop()))
    channel.set_inheritable(False)
    # Import modules here, so that forks need not. Pytest plugins of other distributions are excluded, since pytest
    # rewrites them when it imports them.
    preload()
    import_module("hermes_sdk.testing.fixtures")
    try:
        scratch = Path.cwd()
    except FileNotFoundError:
        return  # The command was killed in the meantime, and the next command has removed the directory.
    gc.collect()
    gc.freeze()
    try:
        # End forks and their children when this process is terminated or its parent ends.
        signal.signal(signal.SIGTERM, _stop)
        end_with_parent(signal.SIGTERM, channel)
        for line in channel.makefile("rb"):
            if request := parse_json(line):
                channel.sendall(json.dumps(_answer(request)).encode() + b"\n")
            else:
                forget_plugins()
    finally:
        # The parent process may have ended without removing the directory.
        shutil.rmtree(scratch, ignore_errors=True)


def _stop(*_: object) -> None:
    sys.exit(1)


def _answer(request: Any) -> Any:
    path, project, cell, *rest = request
    outcome = run(Job(path, project, Cell(*cell), *rest))
    return {**outcome.as_json(), "log": outcome.log}
