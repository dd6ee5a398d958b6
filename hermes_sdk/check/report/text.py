"""The report for people: findings by file, each with its source line, why it matters and how to fix it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from hermes_sdk.check.model import Finding, Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}


def write(result: Result, stream: TextIO) -> None:
    """Write a result in colour when the stream is a terminal, wrapped to its width.

    Args:
        result: What was found.
        stream: Where to write.
    """
    from rich.console import Console

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    explained: set[str] = set()
    for path, findings in groupby(result.findings, key=lambda finding: finding.path):
        console.print(path, style="bold underline")
        lines = _lines(result.base / path)
        for finding in findings:
            _write_finding(console, finding, lines, explained)
    _write_not_run(console, result)
    _write_summary(console, result)


def _write_finding(console: Console, finding: Finding, lines: list[str], explained: set[str]) -> None:
    """One finding; why its rule exists is said once in a report."""
    from rich.text import Text

    head = Text.assemble((f"{finding.severity} {finding.code}", STYLES[finding.severity]), " ", finding.message)
    _write_row(console, f"  {finding.line}:{finding.column}", head)
    for line in _excerpt(finding, lines):
        console.print(line, overflow="ellipsis", no_wrap=True)
    if finding.code not in explained:
        explained.add(finding.code)
        _write_row(console, "      why", Text(finding.why))
    _write_row(console, "      fix", Text(finding.fix))
    console.print()


def _write_row(console: Console, label: str, text: Text) -> None:
    """A label, and beside it a text that wraps within its own column."""
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_row(Text(label, style="cyan", no_wrap=True), text)
    console.print(row)


def _excerpt(finding: Finding, lines: list[str]) -> Iterator[Text]:
    """The line of a finding, and a caret below the column unless the whole line is meant."""
    from rich.text import Text

    if finding.line > len(lines) or not lines[finding.line - 1].strip():
        return
    line = lines[finding.line - 1].replace("\t", " ")
    code = line.lstrip()
    yield Text(f"      │ {code}", style="dim")
    if finding.column > 1:
        yield Text(f"      │ {' ' * max(finding.column - 1 - (len(line) - len(code)), 0)}^", style="red")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _write_not_run(console: Console, result: Result) -> None:
    from rich.text import Text

    for reason, entries in groupby(result.not_run, key=lambda entry: entry.reason):
        codes = ", ".join(entry.code for entry in entries)
        console.print(f"not run: {codes}", style="yellow")
        _write_row(console, "      why", Text(reason))
        console.print()


def _write_summary(console: Console, result: Result) -> None:
    counted = [
        _count(result.count("error"), "error"),
        _count(result.count("warning"), "warning"),
        _count(result.count("info"), "note"),
        _count(len(result.not_run), "rule", " not run"),
    ]
    summary = ", ".join(filter(None, counted))
    if summary:
        console.print(f"{summary} in {result.path}", style="bold red" if result.count("error") else "bold yellow")
    else:
        name = result.base.name if result.path == "." else result.path
        console.print(f"✓ Nothing to complain about in {name}.", style="bold green")


def _count(number: int, word: str, state: str = "") -> str:
    """A number of things in words, empty for none of them."""
    return f"{number} {word}{'' if number == 1 else 's'}{state}" if number else ""
