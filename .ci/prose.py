"""Lint the texts of the project with proselint: its own checks, and the phrases of `prose.toml` in this directory.

It reads the front pages, documentation and templates, and the strings and comments of the package. It skips code:
fenced blocks and code spans of Markdown, and everything in Python except strings and comments.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from re import RegexFlag
from typing import NamedTuple

from proselint.checks import __register__, uncomparables
from proselint.registry.checks import Check, CheckFlags, CheckResult, types
from proselint.registry.checks.engine import Fancy

ROOT = Path(__file__).parents[1]
RULES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

_MARKDOWN_CODE = re.compile(
    r"^( *)(`{3,}).*?^\1\2|<!--.*?-->|(?<=\]\()[^)\n]+|(?P<span>`+)[^`]+(?P=span)", re.DOTALL | re.MULTILINE
)
_COMMENT_MARK = re.compile(r"^[^\S\n]*#:?|(?<=\s)#(?=\s)", re.MULTILINE)


class Finding(NamedTuple):
    """A phrase that reads badly, with its location."""

    path: Path
    line: int
    column: int
    phrase: str
    message: str


def prose(path: Path) -> str:
    """Return the text of a file with everything except prose blanked, so that offsets do not change."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return _MARKDOWN_CODE.sub(_blank_code, text)
    if path.suffix in {".py", ".pyi"}:
        with contextlib.suppress(tokenize.TokenError, SyntaxError):  # A template of a module may not be valid Python.
            text = _strings_and_comments(text)
    return _COMMENT_MARK.sub(lambda mark: " " * len(mark[0]), text)


def _blank_code(code: re.Match[str]) -> str:
    # Replace a code span with a word, because it is part of a sentence; a code block is not.
    return re.sub(r"\S", "x" if code["span"] else " ", code[0])


def _strings_and_comments(text: str) -> str:
    lines = text.splitlines(keepends=True)
    kept = [re.sub(r"[^\n]", " ", line) for line in lines]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in {"STRING", "COMMENT", "FSTRING_MIDDLE"}:
            (first, start), (last, end) = token.start, token.end
            for row in range(first - 1, last):
                begin, stop = start if row == first - 1 else 0, end if row == last - 1 else len(lines[row])
                part = lines[row][begin:stop].replace('"', " ")
                kept[row] = kept[row][:begin] + part + kept[row][stop:]
    return "".join(kept)


@cache
def checks() -> list[Check]:
    """Return our phrases and the checks of proselint that suit technical prose."""
    own = [_phrases("phrases", RegexFlag.IGNORECASE), _phrases("sentence-starts", RegexFlag.NOFLAG)]
    kept = [check for check in __register__ if not any(map(check.matches_partial, [*RULES["off"], "uncomparables"]))]
    return [*own, _uncomparables(), *kept]


def _uncomparables() -> Check:
    """Return proselint's check for phrases such as "more unique" as a single pattern, which is ten times as fast."""
    most, more = "|".join(uncomparables.FANCY_COMPARATORS), "|".join(uncomparables.COMPARATORS)
    allowed = "|".join(rf"{comparator}\s+{adjective}\b" for comparator, adjective in uncomparables.EXCEPTIONS)
    said = rf"(?:(?<!at\s)\b(?:{most})|\b(?!{allowed})(?:{more}))"
    pattern = rf"{said}\s+(?:{'|'.join(uncomparables.UNCOMPARABLES)})\b"
    return Check(
        types.ExistenceSimple(pattern), Fancy(), path=uncomparables.CHECK_PATH, message=uncomparables.CHECK_MESSAGE
    )


def _phrases(table: str, flags: RegexFlag) -> Check:
    """Return the check for a table of `RULES` as a single pattern, which is five times as fast."""
    # A sentence may continue on the next line or in the next string literal.
    phrases = "|".join(f"({phrase})" for phrase in RULES[table]).replace(" ", r"\s+")
    pattern = re.compile(rf"\b(?:{phrases})", flags)
    advice = [*RULES[table].values()]

    def find(text: str, check: Check) -> Iterator[CheckResult]:
        for match in pattern.finditer(text):
            yield CheckResult(check.path, advice[match.lastindex - 1], match.span(), None)

    return Check(find, path=f"style.{table}", flags=CheckFlags(allow_quotes=True))


def lint(text: str, path: Path = Path("<text>")) -> Iterator[Finding]:
    """Yield the findings of a text."""
    padded = f"\n{text}\n"
    for check in checks():
        for result in check.check_with_flags(padded):
            start, end = result.span
            before = padded[1:start]
            phrase = " ".join(padded[start:end].split())
            yield Finding(path, before.count("\n") + 1, start - 1 - before.rfind("\n") - 1, phrase, result.message)


def files() -> Iterable[Path]:
    """Yield the files to lint."""
    read, skipped = ({path.resolve() for path in chain(*map(ROOT.glob, RULES[key]))} for key in ("read", "skip"))
    return sorted(path for path in read - skipped if path.is_file())


def main() -> int:
    """Print the findings and return the exit status."""
    findings = [found for path in files() for found in lint(prose(path), path.relative_to(ROOT))]
    for found in sorted(findings):
        print(f"{found.path}:{found.line}:{found.column}: {found.phrase!r}: {found.message}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
