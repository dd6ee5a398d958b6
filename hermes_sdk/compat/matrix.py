"""Run plugins in cells, and collect the outcomes in matrices."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hermes_sdk import contract, manifest
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat import pool
from hermes_sdk.compat.apis import missing_apis
from hermes_sdk.compat.cells import Cell, Job
from hermes_sdk.compat.outcomes import Matrix, Outcome
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts import environments
from hermes_sdk.hosts.dependencies import find_requirements
from hermes_sdk.manifest import Located, portable

TIME_LIMIT = 300.0
"""Timeout in seconds of a plugin's tests in one cell."""

_INSTALLING = 4

Watch = Callable[[Located, Outcome], None]
"""Called with each outcome when its cell has finished."""


def matrices(
    plugins: Sequence[Located],
    cells: Sequence[Cell],
    *,
    base: Path,
    watch: Watch | None = None,
    workers: int | None = None,
    time_limit: float = TIME_LIMIT,
    may_install: bool = False,
    not_run: Sequence[str] = (),
    is_auto: bool = False,
) -> list[Matrix]:
    """Run every plugin in every cell.

    Missing environments of real hosts are created first, several in parallel. The tests of each cell run in a separate
    process, with a scrubbed environment and a temporary HOME.

    Args:
        cells: The cells to run them in.
        base: The base directory of the plugin paths in reports.
        watch: Called with the outcome of each cell when the cell has finished.
        workers: The number of cells to run in parallel. Default: one more than processors, since a cell also waits.
        time_limit: Timeout in seconds of a plugin's tests in one cell.
        may_install: Whether to install the plugins' missing requirements as wheels for real hosts.
        not_run: Releases without a cell; only their APIs are compared with those that the plugins use.
        is_auto: Whether a cell of an embedded host falls back to the real host of its release, if installed, when the
            plugin reaches anything that the embedded one does not model.

    Returns:
        A matrix for each plugin, in order. The outcome of a cell that could not be run says why.
    """
    places = [(plugin, cell) for plugin in plugins for cell in cells]
    outcomes: dict[int, Outcome] = {}

    def record(place: int, outcome: Outcome) -> None:
        outcomes[place] = outcome
        if watch is not None:
            watch(places[place][0], outcome)

    missing = _prepare_environments(places, workers, may_install=may_install)
    for place, problem in missing.items():
        record(place, Outcome(places[place][1], None, problem, log=problem))
    runnable = [place for place in range(len(places)) if place not in missing]
    jobs = [_create_job(*places[place], time_limit, is_auto) for place in runnable]
    for number, outcome in pool.run(jobs, workers):
        record(runnable[number], outcome)
    return [
        _create_matrix(
            plugin, base, tuple(outcomes[number * len(cells) + index] for index in range(len(cells))), not_run
        )
        for number, plugin in enumerate(plugins)
    ]


def _create_job(plugin: Located, cell: Cell, time_limit: float, is_auto: bool) -> Job:
    is_auto = is_auto and cell.host == "embedded"
    name = plugin.name if plugin.form == "package" else ""
    return Job(str(plugin.path), str(plugin.project), cell, time_limit, is_auto, plugin.form, name)


def _prepare_environments(
    places: Sequence[tuple[Located, Cell]], workers: int | None, *, may_install: bool
) -> dict[int, str]:
    """Create the environments of real hosts; return the problems by number of the cell."""

    def prepare(number: int) -> str | None:
        plugin, cell = places[number]
        try:
            environments.environment(cell.release, cell.python)
            needed = find_requirements(plugin)
            environments.overlay(cell.release, needed, cell.python, may_install=may_install)
        except HermesSdkError as error:
            return f"{error.message}. {error.fix}".removesuffix(". ")
        return None

    real = [number for number, (_, cell) in enumerate(places) if cell.host == "real"]
    with ThreadPoolExecutor(max(workers or 0, _INSTALLING)) as executor:
        problems = executor.map(prepare, real)
        return {number: problem for number, problem in zip(real, problems, strict=True) if problem}


def _create_matrix(plugin: Located, base: Path, outcomes: tuple[Outcome, ...], not_run: Sequence[str]) -> Matrix:
    # No host reads the manifest of a package, but it declares the supported range.
    declared = plugin.manifest or plugin.portable or manifest.manifest_file(plugin.directory)
    value = manifest.parse(declared).value if declared else None
    fields = value if isinstance(value, dict) else {}
    fallback = plugin.core_tool.stem if plugin.core_tool else plugin.entry_point[0] if plugin.entry_point else ""
    requires = fields.get("requires_hermes")
    if plugin.portable:
        requires = portable.supported_range()
    read = Plugin(plugin, base)
    registered = next((one.registered for one in outcomes if one.loads), {})
    return Matrix(
        plugin=str((fields.get("name") if plugin.form == "directory" else "") or fallback or plugin.directory.name),
        path=Path(os.path.relpath(plugin.path, base)).as_posix(),
        form=plugin.form,
        requires=requires if isinstance(requires, str) else None,
        outcomes=outcomes,
        not_run={
            release: missing_apis(read, contract.load(release), registered, fields.get("kind")) for release in not_run
        },
    )
