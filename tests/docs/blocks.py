"""Code blocks of a page, parsed with sybil, and the options in the comments before them.

A fenced block runs according to its language, see `running`. A comment before it can change that:

    <!-- example: exit 1 -->            the last command has this exit code
    <!-- example: slow -->              run only by the slow tests: it needs a real host, or takes long
    <!-- example: not run: WHY -->      not run; only its calls of `hermes-sdk` are checked
    <!-- example: new -->               starts in an empty directory
    <!-- example: from TEXT -->         replaces the end of its file from the line that starts with TEXT
    <!--- invisible-code-block: sh      hidden from the reader
    mkdir notes
    -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sybil import Document, Example, Region
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer, RawFencedCodeBlockLexer

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

# Other tests check the blocks of these pages.
GENERATED = {
    "docs/reference/context.md": "test_examples runs the examples, and tests/api compares the signatures",
    "docs/reference/hooks.md": "test_examples runs the examples",
    "docs/reference/gateway-events.md": "test_examples runs the example",
    **{
        f"docs/reference/{path.name}": "tests/api compares the signatures with the contracts"
        for path in (ROOT / "docs" / "reference").glob("providers-*.md")
    },
    "docs/reference/testing.md": "its signatures are those of the code",
}

_FENCE = RawFencedCodeBlockLexer(re.compile(r"(?P<info>[^\n]*)\n"))
_HIDDEN = DirectiveInHTMLCommentLexer("invisible-code-block", r"\w+")
_COMMENT = DirectiveInHTMLCommentLexer("example", ".*?")
_DIRECTIVE = re.compile(r"(?P<slow>slow)|(?P<new>new)|exit (?P<exit>\d+)|not run: (?P<reason>.+)|from (?P<begin>.+)")


@dataclass
class Block:
    """One block.

    Attributes:
        language: First word after the fence.
        title: Name of its file, or empty.
        source: Its text.
        exit: Exit code of its last command.
        slow: Whether only the slow tests run it.
        new: Whether it starts in an empty directory.
        reason: Why it is not run, or empty.
        begin: Start of the first line of the file to replace, with all that follow; empty for the whole file.
    """

    language: str
    title: str
    source: str
    exit: int = 0
    slow: bool = False
    new: bool = False
    reason: str = ""
    begin: str = ""


def blocks(path: Path) -> Iterator[tuple[Example, Block]]:
    """Yield the blocks of a page in order, each with its sybil example, which has the location."""
    document = Document.parse(str(path), _regions)
    pending: list[str] = []
    for example in document:
        if "info" not in example.region.lexemes and example.region.lexemes["directive"] == "example":
            pending.append(str(example.region.lexemes["arguments"]))
            continue
        yield example, _block(example.region, pending)
        pending = []
    if pending:
        raise ValueError(f"{path}: no block follows {pending}")


def _regions(document: Document) -> Iterator[Region]:
    fenced = list(_FENCE(document))
    yield from fenced
    for lexer in (_HIDDEN, _COMMENT):
        yield from (
            region for region in lexer(document) if not any(fence.start <= region.start < fence.end for fence in fenced)
        )


def _block(region: Region, directives: list[str]) -> Block:
    info = str(region.lexemes["info" if "info" in region.lexemes else "arguments"])
    title = re.search(r'title="(.+?)"', info)
    block = Block(info.partition(" ")[0], title[1] if title else "", str(region.lexemes["source"]))
    for directive in directives:
        found = _DIRECTIVE.fullmatch(directive)
        if found is None:
            raise ValueError(f"no directive: {directive!r}")
        block.slow |= bool(found["slow"])
        block.new |= bool(found["new"])
        block.exit = int(found["exit"] or block.exit)
        block.reason = found["reason"] or block.reason
        block.begin = found["begin"] or block.begin
    return block
