"""Matrices as a person reads them in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hermes_sdk.compat.floor import true_range
from hermes_sdk.compat.outcomes import Matrix, Outcome, Verdict
from hermes_sdk.contract import known_releases

SYMBOLS: Mapping[Verdict, str] = {"passes": "✓", "fails": "✗", "lacks": "◐", "unknown": "?"}
_STYLES: Mapping[Verdict, str] = {"passes": "green", "fails": "bold red", "lacks": "yellow", "unknown": "dim"}


def write(matrices: Sequence[Matrix], console: Console) -> None:
    """Print a table of cells for one plugin, and one of plugins for a workspace."""
    if len(matrices) == 1:
        _write_one(matrices[0], console)
        return
    table = _table("Plugin", *SYMBOLS, "Since", "Problem")
    for matrix in matrices:
        counts = Counter(one.verdict for one in matrix.outcomes)
        numbers = (Text(str(counts[verdict] or ""), _STYLES[verdict]) for verdict in SYMBOLS)
        problem = next((f"{one.cell.name}: {note(one)}" for one in matrix.broken), "")
        table.add_row(Text(matrix.plugin), *numbers, matrix.floor or "—", Text(problem))
    console.print(table)
    lines = {matrix.plugin: describe_not_run(matrix.not_run) for matrix in matrices if matrix.not_run}
    if len({*lines.values()}) == 1:
        lines = {"": next(iter(lines.values()))}
    for plugin, line in lines.items():
        console.print(Text(f"{plugin}  {line}" if plugin else line))


def _write_one(matrix: Matrix, console: Console) -> None:
    kinds = [kinds_of(one) for one in matrix.outcomes if one.registered]
    usual = Counter(kinds).most_common(1)[0][0] if kinds else ""
    console.print(Text.assemble((matrix.plugin, "bold"), (f"  registers {usual}" if usual else "", "dim")))
    table = _table("Release", "Grade", "Host", "Verdict", "Tests", "Note")
    above = ""
    for one in matrix.outcomes:
        host = one.cell.host if one.cell.host == "embedded" else f"real {one.cell.python}"
        other = f"registers {kinds_of(one)}" if one.registered and kinds_of(one) != usual else ""
        notes = "; ".join(filter(None, [note(one), other]))
        verdict = Text(f"{SYMBOLS[one.verdict]} {one.verdict}", _STYLES[one.verdict])
        grade = Text(one.cell.grade or "", "dim")
        said = Text("as above" if notes and notes == above else notes)
        table.add_row(one.cell.release, grade, host, verdict, format_test_counts(one), said)
        above = notes
    console.print(table)
    if matrix.not_run:
        console.print(Text(describe_not_run(matrix.not_run)))
    console.print(Text(promise(matrix)))


def describe_not_run(not_run: Mapping[str, Collection[str]]) -> str:
    """Describe the releases that were not run on one line, with the APIs of the plugin that they lack.

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
    return f"{_format_ranges(not_run)}: {'; '.join(parts) or 'no API is missing'}; not run"


def _format_ranges(releases: Collection[str]) -> str:
    """Format releases as ranges of the known ones: ``0.13.0–0.15.2, 0.17.0``."""
    runs = [[*group] for chosen, group in groupby(known_releases(), lambda one: one in releases) if chosen]
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in ("Grade", "Host", "Verdict"))
    return table


def format_test_counts(outcome: Outcome) -> str:
    """Return how the tests of a cell went: ``50 passed``, ``48 passed, 2 failed``."""
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
    """Return what is wrong in a cell; empty when nothing is."""
    lacks = f"lacks {', '.join(outcome.missing_apis)}" if outcome.missing_apis else ""
    failures = outcome.tests.failures if outcome.tests and outcome.loads is not False else ()
    first = failures[0] + (f" and {len(failures) - 1} more" if len(failures) > 1 else "") if failures else ""
    # What a release lacks is why the plugin does not load there, in better words.
    rerun = f"ran in the real Hermes, because {outcome.reason}" if outcome.rerun else ""
    return "; ".join(filter(None, [lacks or outcome.error, first, rerun]))


def kinds_of(outcome: Outcome) -> str:
    """Return what was registered, counted: ``2 tools, 1 hook``."""
    counts = ((len(names), kind.replace("_", " ")) for kind, names in outcome.registered.items())
    return ", ".join(f"{count} {kind if count > 1 else kind.removesuffix('s')}" for count, kind in counts)


def promise(matrix: Matrix) -> str:
    """Hold what the manifest promises against what is true, in a sentence."""
    true = true_range(matrix)
    said = f"requires_hermes is {matrix.requires!r}" if matrix.requires else "The manifest has no requires_hermes"
    if not matrix.judged:
        return f"{said}; this run does not show whether that is correct."
    if true is None:
        return f"{said}; the plugin does not pass on any proven release or real host of this run."
    broken = ", ".join(dict.fromkeys(one.cell.release for one in matrix.broken))
    if broken:
        return f"{said}, so it admits {broken}, where the plugin fails. The tested range is {true!r}."
    lacking = [release for release, missing in matrix.not_run.items() if missing and matrix.admits(release)]
    if lacking and matrix.requires:
        releases = _format_ranges(lacking)
        return f"{said}, so it admits {releases}, without APIs that the plugin uses. The tested range is {true!r}."
    if not any(matrix.passing.values()):
        return f"{said}; the plugin uses APIs that Hermes has since {matrix.floor}, which no proven release has."
    return f"{said}; the plugin passes on {matrix.floor} and later."
