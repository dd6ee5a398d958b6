"""Suppressions in comments and settings; an unused suppression is a finding."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.check.model import Finding
from hermes_sdk.check.options import Settings
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.rules.suppression import NOT_UNDERSTOOD, SUPPRESSES_NOTHING

_MARK = "hs: ignore"
_COMMENTED = frozenset({".py", ".yaml", ".yml"})
_COMMENT = r"#\s*hs: ignore(?:\[(?P<codes>[^\]]*)\])?:?\s*(?P<reason>.*)"
_CODES = frozenset(rule.code for rule in RULES)


class Comment(NamedTuple):
    """Comment that suppresses findings.

    Attributes:
        path: The path of the file, as in `Finding.path`.
        about: The line to which it applies: its own, or the next if there is no code on its line.
    """

    path: str
    line: int
    column: int
    about: int
    codes: tuple[str, ...]


class Suppression(NamedTuple):
    """Result of suppressing findings.

    Attributes:
        findings: The remaining findings, and those about suppressions.
        suppressed: Number of suppressed findings.
    """

    findings: tuple[Finding, ...]
    suppressed: int


def drop_suppressed(
    findings: Collection[Finding],
    plugin: Plugin,
    settings: Settings,
    decided: Collection[str],
    protected: Collection[str] = (),
) -> Suppression:
    """Remove the findings suppressed by comments or settings.

    Args:
        decided: The codes of the rules that ran; only their suppressions can be unused.
        protected: The codes of rules that cannot be suppressed.
    """
    comments, broken = _find_comments(plugin, {finding.path for finding in findings})
    used: set[object] = set()
    kept: list[Finding] = []
    for finding in findings:
        path = get_project_path(finding, plugin)
        by: list[object] = [one for one in comments if _applies_to(one, finding)]
        by += [one for one in settings.ignored if one.covers(finding.code, path)]
        used.update((one, finding.code) for one in by)
        if not by or finding.code in protected:
            kept.append(finding)
    idle = [*_find_idle_comments(comments, used, decided), *_find_idle_settings(settings, plugin, used, decided)]
    return Suppression((*kept, *broken, *idle), len(findings) - len(kept))


def _applies_to(comment: Comment, finding: Finding) -> bool:
    return (comment.path, comment.about) == (finding.path, finding.line) and finding.code in comment.codes


def _find_idle_comments(comments: Iterable[Comment], used: set[object], decided: Collection[str]) -> Iterator[Finding]:
    for one in comments:
        for code in one.codes:
            if (one, code) not in used and code in decided:
                yield SUPPRESSES_NOTHING.finding(Problem(f"{code} has no finding here", one.path, one.line, one.column))


def _find_idle_settings(
    settings: Settings, plugin: Plugin, used: set[object], decided: Collection[str]
) -> Iterator[Finding]:
    path = plugin.relative(plugin.pyproject_file)
    for one in settings.ignored:
        if one.code not in _CODES:
            yield NOT_UNDERSTOOD.finding(Problem(f"there is no rule {one.code!r}", path, one.line))
        elif (one, one.code) not in used and one.code in decided:
            yield SUPPRESSES_NOTHING.finding(Problem(f"{one.code} has no finding in {one.path}", path, one.line))


def _find_comments(plugin: Plugin, further: Iterable[str]) -> tuple[list[Comment], list[Finding]]:
    """Find the suppressing comments in files of the plugin or with findings, and report the invalid ones."""
    own = [file for file in (*plugin.files, plugin.located.manifest) if file and file.suffix in _COMMENTED]
    texts: dict[str, str] = {}
    for path in {*further, *map(plugin.relative, own)}:
        if _MARK in (text := plugin.read(plugin.base / path)):
            texts[path] = text
    comments: list[Comment] = []
    broken: list[Finding] = []
    for path, text in texts.items():
        for line, column, alone, found in _find_marks(path, text):
            codes = tuple(code.strip() for code in (found["codes"] or "").split(","))
            unknown = [code for code in codes if code not in _CODES]
            if unknown or not found["reason"].strip():
                problem = f"there is no rule {unknown[0]!r}" if unknown else "no reason is given"
                message = f"the suppression is ignored: {problem}"
                broken.append(NOT_UNDERSTOOD.finding(Problem(message, path, line, column)))
            else:
                comments.append(Comment(path, line, column, line + 1 if alone else line, codes))
    return comments, broken


def _find_marks(path: str, text: str) -> Iterator[tuple[int, int, bool, re.Match[str]]]:
    """Yield each comment that looks like a suppression: line, column, whether its line has no code, and the match."""
    strings = _find_string_lines(text) if path.endswith(".py") else frozenset[int]()
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(_COMMENT, line) if _MARK in line else None
        if found and number not in strings:
            yield number, found.start() + 1, not line[: found.start()].strip(), found


def _find_string_lines(text: str) -> frozenset[int]:
    """Find the lines of a Python file with the mark in a string, not in a comment."""
    import tokenize

    marked, comments = set[int](), set[int]()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if _MARK in token.string:
                lines = range(token.start[0], token.end[0] + 1)
                (comments if token.type == tokenize.COMMENT else marked).update(lines)
    except (tokenize.TokenError, SyntaxError):
        pass  # Invalid syntax is a finding already.
    return frozenset(marked - comments)


def get_project_path(finding: Finding, plugin: Plugin) -> str:
    """Return the path of a finding, relative to the project of the plugin."""
    return Path(os.path.relpath(plugin.base / finding.path, plugin.located.project)).as_posix()
