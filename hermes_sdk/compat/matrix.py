"""From plugins and cells to matrices."""

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
"""Seconds that the tests of a plugin have in one cell."""

_INSTALLING = 4

Watch = Callable[[Located, Outcome], None]
"""Receives each outcome as soon as it is known."""


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

    Environments of the real host that are missing are made first, some at a time. The tests run in a process of their
    own for each cell, with a scrubbed environment and a temporary HOME.

    Args:
        cells: Where to run them.
        base: The directory that the paths of the plugins are relative to.
        watch: Receives the outcome of each cell as soon as it is known.
        workers: How many cells run at a time. Default: one more than processors, since a cell also waits.
        time_limit: Seconds that the tests of a plugin have in one cell.
        may_install: Whether to install what the plugins require, as wheels, for real hosts that lack it.
        not_run: Releases without a cell whose APIs are compared with what the plugins use.
        is_auto: Whether a cell of an embedded host runs in the real host of its release instead, if that is on this
            machine and the embedded one does not model everything that is reached.

    Returns:
        A matrix for each plugin, in their order. A cell that could not be run has an outcome that says why.
    """
    places = [(plugin, cell) for plugin in plugins for cell in cells]
    outcomes: dict[int, Outcome] = {}

    def note(place: int, outcome: Outcome) -> None:
        outcomes[place] = outcome
        if watch is not None:
            watch(places[place][0], outcome)

    missing = _missing_environments(places, workers, may_install=may_install)
    for place, problem in missing.items():
        note(place, Outcome(places[place][1], None, problem, log=problem))
    left = [place for place in range(len(places)) if place not in missing]
    jobs = [_job(*places[place], time_limit, is_auto) for place in left]
    for number, outcome in pool.run(jobs, workers):
        note(left[number], outcome)
    return [
        _matrix(plugin, base, tuple(outcomes[number * len(cells) + index] for index in range(len(cells))), not_run)
        for number, plugin in enumerate(plugins)
    ]


def _job(plugin: Located, cell: Cell, time_limit: float, is_auto: bool) -> Job:
    is_auto = is_auto and cell.host == "embedded"
    name = plugin.name if plugin.form == "package" else ""
    return Job(str(plugin.path), str(plugin.project), cell, time_limit, is_auto, plugin.form, name)


def _missing_environments(
    places: Sequence[tuple[Located, Cell]], workers: int | None, *, may_install: bool
) -> dict[int, str]:
    """Make what the real hosts need, and say of which cells that did not work out."""

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


def _matrix(plugin: Located, base: Path, outcomes: tuple[Outcome, ...], not_run: Sequence[str]) -> Matrix:
    # No host reads the manifest of a package, but it says what the author promises.
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
