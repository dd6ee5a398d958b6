"""Loading of a plugin in a cell."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.compat.cells import Cell, Job
from hermes_sdk.contract.sources import chosen_sources
from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.hosts.inspection import inspect_plugin, show
from hermes_sdk.hosts.interface import Report
from hermes_sdk.hosts.processes import fork
from hermes_sdk.hosts.processes.process import child_environment
from hermes_sdk.requirements import allowed_addresses

_TIME_LIMIT = 120.0
_NO_KINDS = frozenset({"missing_imports", "warnings"})


class Loaded(NamedTuple):
    """Result of loading a plugin.

    Attributes:
        loads: Whether the plugin loads; None if unknown.
        error: Why it does not load, on one line.
        log: Details of the errors and warnings.
        report: The host's report; None if the plugin ended the host, or if there is no host.
        available: Whether the host is available.
    """

    loads: bool | None
    error: str | None
    log: str
    report: Report | None = None
    available: bool = True


def load(job: Job) -> Loaded:
    """Load the plugin of a job in a fork of this process, since driving the real host starts threads."""
    if job.cell.host == "embedded":
        inspect = partial(inspect_plugin, release=job.cell.release, in_fork=True, form=job.form, plugin=job.plugin)
        return _describe(lambda: inspect(Path(job.path))["report"])
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        finished = fork.run(
            lambda job: load_here(job)._asdict(),
            job,
            environment=variables(job.cell, scratch, scratch),
            cwd=scratch,
            time_limit=_TIME_LIMIT,
        )
    if finished.ended != "answered":
        return Loaded(False, f"the real host did not answer: {finished.ended}", finished.stdout)
    return Loaded(**finished.value)


def load_here(job: Job) -> Loaded:
    """Load the plugin of a job on the real host from this process."""
    path, release = Path(job.path), job.cell.release
    return _describe(lambda: show(path, host="real", release=release, form=job.form, plugin=job.plugin))


def variables(cell: Cell, scratch: Path, home: Path) -> dict[str, str]:
    """Return the environment of a process that runs a plugin in a cell."""
    own = {"HERMES_SDK_CACHE": os.environ["HERMES_SDK_CACHE"], "HERMES_SDK_PYTHON": cell.python}
    return child_environment(home, scratch, {**own, **chosen_sources(), **allowed_addresses()})


def list_registered(report: Report) -> dict[str, list[str]]:
    """Return the sorted names that a plugin registered, by kind as in ``hermes-sdk.show/1``."""
    facts: Mapping[str, Any] = report
    found = {kind: names for kind, names in facts.items() if isinstance(names, list) and kind not in _NO_KINDS}
    found |= {f"{category}_providers": names for category, names in report["providers"].items()}
    found |= {kind: [facts[kind]] for kind in ("context_engine", "memory_provider") if facts[kind]}
    return {kind: list(names) for kind, names in found.items() if names}


def _describe(load_plugin: Callable[[], Report]) -> Loaded:
    try:
        report = load_plugin()
    except UnavailableError as error:
        return Loaded(None, error.message, str(error), available=False)
    except HermesSdkError as error:
        return Loaded(False, _first_line(error.message), str(error))
    loads = _is_loaded(report)
    why = None if loads else _first_line(report["error"] or f"{report['status']}: the host gives no reason")
    return Loaded(loads, why, "\n".join([*filter(None, [report["error"]]), *report["warnings"]]), report)


def _is_loaded(report: Report) -> bool | None:
    if report["status"] == "unsupported":
        return None
    # Memory and model providers have their own loaders.
    return report["status"] in ("loaded", "deferred") or bool(report["memory_provider"] or report["model_providers"])


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
