"""Text report: findings by file, each with its source line, the reason and the fix.

It uses no terminal library, because importing one would take longer than a check.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TextIO

from hermes_sdk.check.model import Coverage, Finding, NotRun, Result
from hermes_sdk.check.report import emit
from hermes_sdk.contract.loader import format_release
from hermes_sdk.documents import read_beginning
from hermes_sdk.terminal import ESCAPE, format_count, get_width

_RED, _YELLOW, _BLUE, _GREEN, _CYAN = (f"{ESCAPE}[1;{number}m" for number in (31, 33, 34, 32, 36))
_UNDERLINE, _DIM, _END = f"{ESCAPE}[1;4m", f"{ESCAPE}[2m", f"{ESCAPE}[0m"
_UNLIMITED = 1_000_000
_COLOURS = {"error": _RED, "warning": _YELLOW, "info": _BLUE}


def write(result: Result, stream: TextIO, *, verbose: bool = False) -> None:
    """Write a result, wrapped to the width of the terminal, and in colour if the stream is one.

    Args:
        verbose: Whether to list the isolation layers.
    """
    colours = stream.isatty() and "NO_COLOR" not in os.environ
    writer = _Writer(get_width(stream), colours, verbose)
    emit("".join(f"{line}\n" for line in writer.lines(result)), stream)


def summarize(result: Result) -> list[str]:
    """Return the end of a report, which does not depend on a terminal: rules that did not run, and the numbers."""
    writer = _Writer(_UNLIMITED, colours=False, verbose=False)
    return [line for line in (*writer.not_run(result), *writer.summary(result)) if line]


class _Writer:
    """Formatter for the lines of a report.

    Args:
        verbose: Whether to list the isolation layers.
    """

    def __init__(self, width: int, colours: bool, verbose: bool) -> None:
        self._width = width
        self._colours = colours
        self._verbose = verbose
        self._explained: set[str] = set()
        self._advised: set[tuple[str, str]] = set()

    def lines(self, result: Result) -> Iterator[str]:
        for path, findings in groupby(result.findings, key=lambda finding: finding.path):
            yield self._style(printable(path), _UNDERLINE)
            source = _read_lines(result.base / path, result.root or result.base)
            for finding in findings:
                yield from self._finding(finding, source)
        yield from self._manual(result)
        yield from self._upstream(result)
        yield from self.not_run(result)
        yield from self.summary(result)

    def _finding(self, finding: Finding, source: list[str]) -> Iterator[str]:
        """Format a finding; the reason of a rule, and a fix that several findings share, appear once in a report."""
        head = f"{finding.severity} {finding.code}"
        first, *others = self._row(
            f"  {finding.line}:{finding.column}", f"{head} {finding.message}{_format_releases(finding)}"
        )
        yield first.replace(head, self._style(head, _COLOURS[finding.severity]), 1)
        yield from others
        yield from self._excerpt(finding, source)
        if finding.code not in self._explained:
            self._explained.add(finding.code)
            yield from self._row("      why", finding.why)
        if (finding.code, finding.advice) not in self._advised:
            self._advised.add((finding.code, finding.advice))
            yield from self._row("      fix", finding.advice)
        yield ""

    def _excerpt(self, finding: Finding, source: list[str]) -> Iterator[str]:
        """Format the source line of a finding, with a caret below the column unless that is the first."""
        if finding.line > len(source) or not source[finding.line - 1].strip():
            return
        line = source[finding.line - 1].replace("\t", " ")
        code = line.lstrip()
        yield self._style(self._cut(f"      │ {printable(code)}"), _DIM)
        if finding.column > 1:
            before = " " * max(finding.column - 1 - (len(line) - len(code)), 0)
            yield self._style(self._cut(f"      │ {before}^"), _RED)

    def _upstream(self, result: Result) -> Iterator[str]:
        if not result.upstream:
            return
        from hermes_sdk.check.report.upstream import describe

        for one in result.upstream:
            for label, text in describe(one):
                yield from self._row(label, text)
            yield ""

    def _manual(self, result: Result) -> Iterator[str]:
        for asked in result.manual:
            yield from self._row(f"to confirm: {asked.code}", asked.question)
        if result.manual:
            yield ""

    def not_run(self, result: Result) -> Iterator[str]:
        def reason(entry: NotRun) -> str:
            return f"{entry.reason}{_format_releases(entry)}"

        for why, entries in groupby(sorted(_undecided(result), key=reason), key=reason):
            yield from self._wrap(f"not run: {', '.join(dict.fromkeys(entry.code for entry in entries))}", _YELLOW)
            yield from self._row("      why", why)
            yield ""

    def summary(self, result: Result) -> Iterator[str]:
        if self._verbose and result.isolation:
            yield from self._row("isolation:", result.isolation)
        for note in dict.fromkeys(run.note for run in result.runs if run.host == "real" and run.note):
            yield from self._row("note:", note)
        counted = [
            _format_count(result.number("error"), "error"),
            _format_count(result.number("warning"), "warning"),
            _format_count(result.number("info"), "note"),
            _format_count(len({entry.code for entry in _undecided(result)}), "rule", " not run"),
            _format_count(result.suppressed, "finding", " suppressed"),
        ]
        summary = ", ".join(filter(None, counted))
        name = printable(result.base.resolve().name if result.path == "." else result.path)
        ends = dict.fromkeys((result.releases[0], result.releases[-1]))
        name += f" for Hermes {' to '.join(map(format_release, ends))}"
        if not result.passes():
            yield from self._wrap(f"✗ {summary} in {name}{_explain_strict(result)}", _RED)
        elif result.findings or _undecided(result):
            yield from self._wrap(f"{summary} in {name}", _YELLOW)
        else:
            rest = f" ({summary})" if summary else ""
            rules = f"{result.coverage.run} {'static ' if result.coverage.left_out else ''}rules"
            yield from self._wrap(f"✓ No problems found in {name} by {rules}{rest}.", _GREEN)
        if result.coverage.left_out:
            yield from self._wrap(_explain_left_out(result.coverage), _YELLOW)
        if not result.strict:
            for why, codes in _group_unavailable(result):
                yield from self._wrap(f"{', '.join(codes)} did not run: {why}.", _DIM)

    def _row(self, label: str, text: str) -> Iterator[str]:
        """Format a label, and next to it a text that wraps in its own column."""
        room = max(self._width - len(label) - 2, 10)
        lines = [wrapped for line in text.split("\n") for wrapped in _wrap_text(printable(line), room)]
        yield f"{self._style(label, _CYAN)}  {lines[0]}"
        yield from (f"{' ' * len(label)}  {line}".rstrip() for line in lines[1:])

    def _wrap(self, text: str, style: str) -> Iterator[str]:
        yield from (self._style(line, style) for line in _wrap_text(text, self._width))

    def _cut(self, line: str) -> str:
        return line if len(line) <= self._width else f"{line[: self._width - 1]}…"

    def _style(self, text: str, style: str) -> str:
        return f"{style}{text}{_END}" if self._colours else text


def _wrap_text(text: str, width: int) -> list[str]:
    """Wrap a text to a width; return at least one line."""
    if len(text) <= width:
        return [text]
    import textwrap

    return textwrap.wrap(text, width, break_on_hyphens=False)


def printable(text: str) -> str:
    """Escape line breaks and control characters in a text."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _undecided(result: Result) -> list[NotRun]:
    """Return the rules that did not run; unless strict, without those for which the machine lacks a tool."""
    return [entry for entry in result.not_run if result.strict or not entry.unavailable]


def _explain_strict(result: Result) -> str:
    """Explain a failure whose only reason is rules that did not run; return an empty string for other results."""
    if result.number("error") or result.number("warning"):
        return ""
    codes = dict.fromkeys(entry.code for entry in result.not_run)
    return f": {', '.join(codes)}. Fix the reasons above, or check without `strict`."


def _group_unavailable(result: Result) -> Iterator[tuple[str, list[str]]]:
    """Group the codes of rules for which the machine lacks a tool by the reason."""
    lacking = sorted((entry.reason, entry.code) for entry in result.not_run if entry.unavailable)
    for reason, entries in groupby(lacking, key=lambda entry: entry[0]):
        yield reason, [code for _, code in entries]


def _format_releases(outcome: Finding | NotRun) -> str:
    """Format the affected releases, or return an empty string if there are none to list."""
    if not outcome.releases:
        return ""
    first, last = outcome.releases[0], outcome.releases[-1]
    return f" [{first}]" if first == last else f" [{first} to {last}]"


def _explain_left_out(coverage: Coverage) -> str:
    """Explain which rules a check with --static skips."""
    return (
        f"{len(coverage.left_out)} rules need the plugin to be loaded and did not run, and {len(coverage.partly_run)} "
        "checked only literal registrations: run `hermes-sdk check` without --static."
    )


def _read_lines(path: Path, root: Path) -> list[str]:
    try:
        return read_beginning(path, 2_000_000, root=root).decode("utf-8-sig", errors="replace").splitlines()
    except OSError:
        return []


def _format_count(number: int, word: str, state: str = "") -> str:
    """Format a number of items, or return an empty string for zero."""
    return f"{format_count(number, word)}{state}" if number else ""
