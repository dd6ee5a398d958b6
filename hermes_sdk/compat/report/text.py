"""Text output of matrices for the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hermes_sdk.compat.floor import true_range
from hermes_sdk.compat.outcomes import Matrix, Outcome, Verdict
from hermes_sdk.contract import API_ONLY, format_release, known_releases, parse_release, split_location
from hermes_sdk.contract.measurements import read_measured

SYMBOLS: Mapping[Verdict, str] = {"passes": "✓", "fails": "✗", "lacks": "◐", "unknown": "?"}
_COLUMNS = ("Release", "Grade", "Host", "Verdict", "Tests")
_IN_NOTES = ("Tests", "Host")
"""Columns that a narrow terminal lacks, in the order in which they are left out."""
_GAP = "   "
_STYLES: Mapping[Verdict, str] = {"passes": "green", "fails": "bold red", "lacks": "yellow", "unknown": "dim"}


def write(plugins: Sequence[Sequence[Matrix]], console: Console) -> None:
    """Print a table of cells for each form of each plugin.

    A form gets one line if it never loads and another form does, or if its results are those of the first form.
    """
    for number, forms in enumerate(plugins):
        works = any(not one.never_loads for one in forms)
        ordered = sorted(forms, key=lambda one: works and one.never_loads)
        for place, matrix in enumerate(ordered):
            if number or place:
                console.print()
            form = f"as a {matrix.form}" if len(forms) > 1 else ""
            if works and matrix.never_loads:
                console.print(Text(f"{form.capitalize()}, it does not load: {matrix.outcomes[-1].error}"))
            elif place and _list_results(matrix) == _list_results(ordered[0]):
                console.print(f"{form.capitalize()}, the results are the same.")
            else:
                _write_matrix(matrix, form, console)


def _list_results(matrix: Matrix) -> list[dict[str, Any]]:
    return [one.as_json() for one in matrix.outcomes]


def write_table(plugins: Sequence[Sequence[Matrix]], console: Console) -> None:
    """Print a table of plugins, with a row for each form."""
    table = _table("Plugin", *SYMBOLS, "Since")
    matrices = [one for forms in plugins for one in forms]
    several = {one.plugin for forms in plugins if len(forms) > 1 for one in forms}
    problems = []
    for matrix in matrices:
        counts = Counter(one.verdict for one in matrix.outcomes)
        numbers = (Text(str(counts[verdict] or ""), _STYLES[verdict]) for verdict in SYMBOLS)
        name = f"{matrix.plugin} (as a {matrix.form})" if matrix.plugin in several else matrix.plugin
        table.add_row(Text(name), *numbers, matrix.floor or "—")
        problems += [f"{name}: {one.cell.name}: {note(one)}" for one in matrix.broken[:1]]
    console.print(table)
    for problem in problems:
        console.print(Text(problem))
    lines = {matrix.plugin: describe_not_run(matrix.not_run) for matrix in matrices if matrix.not_run}
    if len({*lines.values()}) == 1:
        lines = {"": next(iter(lines.values()))}
    for plugin, line in lines.items():
        console.print(Text(f"{plugin}  {line}" if plugin else line))


def _write_matrix(matrix: Matrix, form: str, console: Console) -> None:
    kinds = [kinds_of(one) for one in matrix.outcomes if one.registered]
    usual = Counter(kinds).most_common(1)[0][0] if kinds else ""
    details = [f"  {one}" for one in (form, usual and f"registers {usual}") if one]
    console.print(Text.assemble((matrix.plugin, "bold"), ("".join(details), "dim")))
    rows = [_make_row(one, usual) for one in matrix.outcomes]
    _write_rows(rows, _choose_columns(rows, console.width), console)
    if matrix.not_run:
        console.print(Text(describe_not_run(matrix.not_run)))
    console.print(Text(promise(matrix)))


class _Row(NamedTuple):
    """Cells of a row by column, the style of its verdict, and the notes below it."""

    cells: Mapping[str, str]
    style: str
    notes: str


def _make_row(outcome: Outcome, usual: str) -> _Row:
    """Create the row of an outcome; its notes mention unusual registrations, and the path of your own Hermes."""
    document = outcome.as_json()
    release, place = split_location(outcome.cell.release)
    cells = {
        "Release": f"{release} (yours)" if place else release,
        "Grade": outcome.cell.grade or "",
        "Host": outcome.cell.host if outcome.cell.host == "embedded" else f"real {outcome.cell.python}",
        "Verdict": f"{choose_sign(document)} {describe_verdict(document)}",
        "Tests": format_test_counts(outcome),
    }
    kinds = kinds_of(outcome) if outcome.registered else ""
    other = f"registers {kinds}" if kinds and kinds != usual else ""
    own = f"Hermes {format_release(outcome.cell.release, 'real')}" if place else ""
    return _Row(cells, _STYLES[outcome.verdict], "; ".join(filter(None, [note(outcome), other, own])))


def _choose_columns(rows: Sequence[_Row], width: int) -> Mapping[str, int]:
    """Return the widths of the columns; if the terminal is too narrow, tests and then hosts move to the notes."""
    columns = {name: max(cell_len(text) for text in (name, *(row.cells[name] for row in rows))) for name in _COLUMNS}
    for name in _IN_NOTES:
        if sum(columns.values()) + len(_GAP) * (len(columns) - 1) + 1 > width:
            del columns[name]
    return columns


def _write_rows(rows: Sequence[_Row], columns: Mapping[str, int], console: Console) -> None:
    console.print(Text.assemble("\n ", (_GAP.join(set_cell_size(name, columns[name]) for name in columns), "bold")))
    console.print(Text(" " + "─" * (sum(columns.values()) + len(_GAP) * (len(columns) - 1))))
    above = ""
    for row in rows:
        styles = {"Grade": "dim", "Verdict": row.style}
        cells = [(set_cell_size(row.cells[name], columns[name]), styles.get(name, "")) for name in columns]
        console.print(Text.assemble(" ", *(part for cell in cells for part in (cell, _GAP))), no_wrap=True, crop=True)
        dropped = [row.cells[name] for name in _IN_NOTES if name not in columns and not _is_usual(row.cells[name])]
        notes = "; ".join(filter(None, [*dropped, row.notes]))
        if notes:
            console.print(Padding(Text("as above" if notes == above else notes), (0, 0, 0, columns["Release"] + 4)))
        above = notes
    console.print()


def _is_usual(text: str) -> bool:
    """Return whether the text of a dropped column is so common that the notes omit it."""
    return re.fullmatch(r"embedded|\d+ passed|none|not run", text) is not None


def is_unverified(cell: Mapping[str, Any]) -> bool:
    """Return whether a cell of the schema ``hermes-sdk.compat/1`` passes only because of documentation."""
    return bool(cell["verdict"] == "passes" and cell["grade"] == API_ONLY and cell["host"] == "embedded")


def describe_verdict(cell: Mapping[str, Any]) -> str:
    """Describe a verdict; distinguishes a plugin that does not load from one whose tests fail."""
    if is_unverified(cell):
        return "unverified"
    if cell["verdict"] == "fails" and cell["loads"] is False:
        return "does not load"
    if cell["verdict"] == "fails" and cell["tests"]:
        return f"loads · {format_failures(cell['tests']['failed'])}"
    return str(cell["verdict"])


def format_failures(number: int) -> str:
    """Format the number of failed tests."""
    return "1 test fails" if number == 1 else f"{number} tests fail"


def choose_sign(cell: Mapping[str, Any], signs: Mapping[Verdict, str] = SYMBOLS, unverified: str = "○") -> str:
    """Return the symbol of a verdict."""
    return unverified if is_unverified(cell) else signs[cell["verdict"]]


def describe_not_run(not_run: Mapping[str, Collection[str]]) -> str:
    """Describe the releases that were not run on one line, with the APIs that they lack.

    Args:
        not_run: The missing APIs of each release.
    """
    lacking: dict[tuple[str, ...], list[str]] = {}
    for release, missing in not_run.items():
        if missing:
            lacking.setdefault((*missing,), []).append(release)
    parts = [
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"
        + (f" in {_format_ranges(releases)}" if len(releases) < len(not_run) else "")
        for names, releases in lacking.items()
    ]
    return f"{_format_ranges(not_run)}: {'; '.join(parts) or 'no API is missing'}; not run without --real"


def _format_ranges(releases: Collection[str]) -> str:
    """Format releases as ranges of the known releases: ``0.13.0–0.15.2, 0.17.0``."""
    runs = [[*group] for chosen, group in groupby(known_releases(), lambda one: one in releases) if chosen]
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column != "Plugin")
    return table


def format_test_counts(outcome: Outcome) -> str:
    """Format the test counts of a cell: ``50 passed``, ``48 passed, 2 failed``."""
    tests = outcome.tests
    if tests is None:
        return "not run"
    counts = {
        "passed": tests.passed,
        "failed": tests.failed,
        "skipped": tests.skipped,
        "unsupported": len(tests.unsupported),
    }
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "none"


def note(outcome: Outcome) -> str:
    """Describe the problem in a cell; empty if there is none."""
    lacks = f"lacks {', '.join(outcome.missing_apis)}" if outcome.missing_apis else ""
    failures = outcome.tests.failures if outcome.tests and outcome.loads is not False else ()
    first = failures[0] + (f" and {len(failures) - 1} more" if len(failures) > 1 else "") if failures else ""
    # A missing API explains a failed load better than the error.
    error = outcome.error if outcome.verdict == "unknown" or not lacks else ""
    rerun = f"ran in the real Hermes, because {outcome.reason}" if outcome.rerun else ""
    return "; ".join(filter(None, [lacks, error, first, rerun]))


def kinds_of(outcome: Outcome) -> str:
    """Format the numbers of registrations: ``2 tools, 1 hook``."""
    counts = ((len(names), kind.replace("_", " ")) for kind, names in outcome.registered.items())
    return ", ".join(f"{count} {kind if count > 1 else kind.removesuffix('s')}" for count, kind in counts)


def promise(matrix: Matrix) -> str:
    """Compare the manifest's range with the tested range in a sentence."""
    true = true_range(matrix)
    declared = f"requires_hermes is {matrix.requires!r}" if matrix.requires else "The manifest has no requires_hermes"
    if not matrix.judged:
        return f"{declared}; this run does not show whether that is correct."
    if true is None:
        return f"{declared}; the plugin does not pass on any proven release or real host of this run."
    broken = ", ".join(dict.fromkeys(one.cell.release for one in matrix.broken))
    if broken:
        return f"{declared}, so it admits {broken}, where the plugin fails. The tested range is {true!r}."
    lacking = [release for release, missing in matrix.not_run.items() if missing and matrix.admits(release)]
    if lacking and matrix.requires:
        releases = _format_ranges(lacking)
        return f"{declared}, so it admits {releases}, without APIs that the plugin uses. The tested range is {true!r}."
    verified = [release for release, passes in matrix.passing.items() if passes and _is_since(release, matrix.floor)]
    if not verified:
        return f"{declared}; the plugin uses APIs that Hermes has since {matrix.floor}, which no proven release has."
    others = {
        one.cell.release: one.verdict
        for one in matrix.outcomes
        if not one.cell.is_revision and one.cell.release not in verified and _is_since(one.cell.release, matrix.floor)
    }
    measured = [release for release, verdict in others.items() if verdict == "passes" and read_measured(release)]
    passes = f", and as far as measured on {_format_ranges(measured)}" if measured else ""
    rest = "; the others are unverified" if len(others) > len(measured) else ""
    return f"{declared}; the plugin passes on {', '.join(verified)}{passes}{rest}."


def _is_since(release: str, floor: str | None) -> bool:
    return floor is not None and parse_release(release) >= parse_release(floor)
