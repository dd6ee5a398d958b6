"""Storage of all versions of a text in one file, with each line once, along with the releases that contain it.

Lines are grouped in runs, each below its span: ``@0.15.0 0.17.0`` marks lines that 0.15.0 added and 0.17.0 removed,
``@0.15.0`` lines that the newest release contains. The lines of a release, in the order of the file, are its version of
the text. No line of a text may begin with ``@``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import compress, groupby

from hermes_sdk.contract.ordering import parse_release

_Line = tuple[str, str]  # A span of lines, and its text.


class Woven:
    """A file of versions, split into runs only once: a check reads the contracts of many releases."""

    def __init__(self, text: str) -> None:
        runs = [run.partition("\n") for run in f"\n{text}".removesuffix("\n").split("\n@")[1:]]
        self._spans = [span for span, _, _ in runs]
        self._lines = [lines for _, _, lines in runs]
        self._releases = {span: _parse_span(span) for span in {*self._spans}}
        self._changes = sorted({change for releases in self._releases.values() for change in releases if change})

    def version(self, release: str) -> int:
        """Return the number of a release's version; releases with the same text have the same number."""
        return bisect_right(self._changes, parse_release(release))

    def text(self, release: str) -> str:
        """Return the version of a release; empty if it has no lines."""
        wanted = parse_release(release)
        holds = {
            span: since <= wanted and (until is None or wanted < until)
            for span, (since, until) in self._releases.items()
        }
        return "\n".join(compress(self._lines, map(holds.__getitem__, self._spans)))


def _parse_span(span: str) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    since, _, until = span.partition(" ")
    return parse_release(since), parse_release(until) if until else None


def weave(versions: Mapping[str, str]) -> str:
    """Combine the versions of a text.

    Args:
        versions: The text of every known release; empty for a release without it.
    """
    woven: list[_Line] = []
    for release in sorted(versions, key=parse_release):
        woven = list(_add_version(woven, release, versions[release].split("\n") if versions[release] else []))
    runs = groupby(woven, key=lambda line: line[0])
    return "".join(f"{span}\n" + "".join(f"{text}\n" for _, text in lines) for span, lines in runs)


def _add_version(woven: list[_Line], release: str, version: list[str]) -> Iterator[_Line]:
    """Add the version of the next release; added lines are placed below those that they replace."""
    from difflib import SequenceMatcher

    current = [text for span, text in woven if _is_open(span)]
    dropped: set[int] = set()
    added_lines: dict[int, list[_Line]] = {}
    for tag, start, end, first, last in SequenceMatcher(None, current, version, autojunk=False).get_opcodes():
        if tag != "equal":
            dropped.update(range(start, end))
            added_lines[end] = [(f"@{release}", text) for text in version[first:last]]
    number = 0
    for span, text in woven:
        if _is_open(span):
            yield from added_lines.get(number, ())
            yield (f"{span} {release}" if number in dropped else span), text
            number += 1
        else:
            yield span, text
    yield from added_lines.get(number, ())


def _is_open(span: str) -> bool:
    """Return whether the newest release so far contains the lines of a span."""
    return " " not in span
