"""A self-contained HTML page with the matrix and the log of each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from hermes_sdk import __version__
from hermes_sdk.compat.floor import describe_failure, true_range
from hermes_sdk.compat.outcomes import Matrix, Outcome
from hermes_sdk.compat.report.badge import span
from hermes_sdk.compat.report.text import (
    choose_sign,
    describe_not_run,
    describe_verdict,
    format_test_counts,
    kinds_of,
    note,
    promise,
)
from hermes_sdk.contract import parse_release, split_location

if TYPE_CHECKING:
    from jinja2 import Template


def page(matrices: Sequence[Matrix]) -> str:
    """Render the page.

    Args:
        matrices: The plugins to show.
    """
    forms = Counter(one.plugin for one in matrices)
    plugins = [
        {
            "name": f"{one.plugin} (as a {one.form})" if forms[one.plugin] > 1 else one.plugin,
            **_plugin_data(number, one),
        }
        for number, one in enumerate(matrices, 1)
    ]
    title = f"{matrices[0].plugin if len(forms) == 1 else f'{len(forms)} plugins'} on Hermes"
    return _template().render(title=title, plugins=plugins, version=__version__)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("hermes_sdk.compat.report", "")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("page.html")


def _plugin_data(number: int, matrix: Matrix) -> dict[str, Any]:
    """Return the template data of a plugin: a row for each host, a column for each release."""
    cells = [_cell_data(number, place, one, matrix) for place, one in enumerate(matrix.outcomes, 1)]
    graded = {one.cell.release: one.cell.grade or "" for one in matrix.outcomes}
    releases = sorted(graded.items(), key=_release_sort_key)
    rows = [
        (host, {cell["release"]: cell for cell in group})
        for host, group in groupby(sorted(cells, key=lambda cell: cell["host"]), key=lambda cell: cell["host"])
    ]
    return {
        "matrix": matrix,
        "releases": releases,
        "rows": rows,
        "cells": cells,
        "span": span(matrix),
        "promise": promise(matrix),
        "range": true_range(matrix),
        "not_run": describe_not_run(matrix.not_run) if matrix.not_run else "",
    }


def _release_sort_key(release: tuple[str, str]) -> tuple[bool, tuple[int, ...], str]:
    name = release[0]
    is_revision = ":" in name or bool(split_location(name)[1])
    return is_revision, () if is_revision else parse_release(name), name


def _cell_data(number: int, place: int, outcome: Outcome, matrix: Matrix) -> dict[str, Any]:
    host = outcome.cell.host if outcome.cell.host == "embedded" else f"real, Python {outcome.cell.python}"
    return {
        "id": f"cell-{number}-{place}",
        "host": host,
        "release": outcome.cell.release,
        "grade": outcome.cell.grade or "",
        "outcome": outcome,
        "verdict": outcome.verdict,
        "words": describe_verdict(outcome.as_json()),
        "sign": choose_sign(outcome.as_json()),
        "tests": format_test_counts(outcome),
        "note": note(outcome),
        "told": describe_failure(outcome),
        "registers": kinds_of(outcome),
        "promised": matrix.admits(outcome.cell.release),
    }
