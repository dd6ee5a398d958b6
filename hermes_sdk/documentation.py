"""The documentation of hermes-sdk as text: pages, sections, and a search.

The search ranks sections by BM25 (Robertson and Zaragoza, 2009), with the words of a title counted several times.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zipfile import ZipFile

from hermes_sdk.errors import UsageError

# The installed package contains the pages as an archive; an editable install reads them from its checkout.
_PACKAGE = Path(__file__).parent
_ARCHIVE = _PACKAGE / "documentation.zip"
_CHECKOUT = _PACKAGE.parent / "docs"

_NOT_SEARCHED = ("reference/fidelity", "reference/host-changes")
"""Counts of every area and a list of every change, which have all words."""

_COMMENT = re.compile(r"\A---\n.*?^---\n|<!--.*?-->\n?", re.DOTALL | re.MULTILINE)
"""A comment, or the front matter of a page."""

_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"(?P<marks>#{1,4}) (?P<title>.+?)(?:\s*\{ *#(?P<anchor>[^\s}]+) *\})?")
_NAME = re.compile(
    r"(?:await )?(?P<name>[A-Za-z_]\w*(?:(?:\.\w+)+|(?=\())|(?:[A-Z]+[a-z]+){2,}|hermes-sdk(?: [a-z]+)+)"
    r"(?:\(.*\)| [\[{A-Z].*)?"
)
"""A title that is a class, a member, a call such as ``Host.chat(text)``, or a command with its arguments."""

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_ENDINGS = ("ing", "ed", "es", "er", "s", "e")
_COMMON = frozenset(
    _WORD.findall(
        "a an and are as at be by do does every for from how i in is it my of on or own that the this to what when "
        "where which why with"
    )
)
_TITLE_WEIGHT = 6
"""Weight of words in the title of a section."""


@dataclass(frozen=True)
class Section:
    """A heading and the text below it, up to the next heading.

    Attributes:
        page: The page, such as ``how-to/check``.
        anchor: The identifier of the heading in the page; empty for the page's title.
        titles: The title of the page and the headings down to this one.
        text: The Markdown, with the heading.
    """

    page: str
    anchor: str
    titles: tuple[str, ...]
    text: str

    @property
    def place(self) -> str:
        """The name of the section on the command line."""
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


@cache
def read_pages() -> Mapping[str, str]:
    """Return the Markdown of all pages without comments, by name."""
    if _ARCHIVE.exists():
        with ZipFile(_ARCHIVE) as archive:
            files = {name: archive.read(name) for name in sorted(archive.namelist())}
    else:
        files = {path.relative_to(_CHECKOUT).as_posix(): path.read_bytes() for path in sorted(_CHECKOUT.rglob("*.md"))}
    return {name.removesuffix(".md"): _COMMENT.sub("", text.decode()) for name, text in files.items()}


@cache
def read_sections() -> Sequence[Section]:
    """Return the sections of all pages."""
    return [section for page, text in read_pages().items() for section in _split_page(page, text)]


def _split_page(page: str, text: str) -> Iterator[Section]:
    """Split a page at its headings."""
    found: list[tuple[str, tuple[str, ...], list[str]]] = []
    anchors: Counter[str] = Counter()
    titles: tuple[str, ...] = ()
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        heading = None if fence else _HEADING.fullmatch(line)
        if mark:
            fence = "" if line.strip() == fence else fence or mark[1]
        if heading:
            title = _LINK.sub(r"\1", heading["title"])
            anchor = heading["anchor"] or make_anchor(title)
            anchors[anchor] += 1
            repeated = f"{anchor}_{anchors[anchor] - 1}" if anchors[anchor] > 1 else anchor
            titles = (*titles[: len(heading["marks"]) - 1], title)
            found.append((repeated if len(titles) > 1 else "", titles, []))
            line = f"{heading['marks']} {title}"
        if found:
            found[-1][2].append(line)
    for anchor, path, lines in found:
        yield Section(page, anchor, path, "\n".join(lines).strip())


def make_anchor(title: str, separator: str = "-") -> str:
    """Return the anchor of a title: its name in code, else as Python-Markdown generates it."""
    named = _NAME.fullmatch(title.replace("`", ""))
    if named:
        return re.sub(r"[. ]", separator, named["name"])
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def find_section(name: str) -> Section | None:
    """Return the section with a name such as ``how-to/check#use-it``; None if it has no ``#`` and is not a page.

    The folder of a page may be omitted if the page's name is unique.

    Raises:
        UsageError: There is no such page or section.
    """
    wanted, mark, anchor = name.strip().partition("#")
    wanted = wanted.removesuffix(".md").removeprefix("../")
    pages = [wanted] if wanted in read_pages() else [one for one in read_pages() if one.endswith(f"/{wanted}")]
    if not mark and len(pages) != 1:
        return None
    if len(pages) != 1:
        what = "There is no page" if not pages else "Several pages are named"
        fix = f"Name one of {', '.join(pages)}." if pages else "`hermes-sdk docs --list` lists the pages."
        raise UsageError(f"{what} {wanted!r}.", fix=fix)
    sections = [one for one in read_sections() if one.page == pages[0]]
    for one in sections:
        if one.anchor == anchor or f"{{#{anchor}}}" in one.text:  # The row of a table can have an anchor.
            return one
    known = ", ".join(one.anchor for one in find_subsections(sections[0]))
    raise UsageError(f"The page {pages[0]} has no section {anchor!r}.", fix=f"Its sections are: {known}.")


def find_subsections(section: Section) -> list[Section]:
    """Return the direct subsections of a section."""
    return [one for one in read_sections() if one.page == section.page and one.titles[:-1] == section.titles]


def search(query: str) -> list[Section]:
    """Return the sections that contain words of a query, the best match first."""
    sections = [one for one in read_sections() if one.page not in _NOT_SEARCHED]
    counted = [_count_terms(one) for one in sections]
    wanted = {term for word in _WORD.findall(query) for term in _find_terms(word)}
    lengths = [counts.total() for counts in counted]
    average = sum(lengths) / len(lengths)
    scores = [0.0] * len(sections)
    for term in wanted:
        containing = sum(term in counts for counts in counted)
        rarity = math.log(1 + (len(sections) - containing + 0.5) / (containing + 0.5))
        for at, counts in enumerate(counted):
            frequency = counts[term]
            scores[at] += rarity * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * lengths[at] / average))
    ranked = sorted(range(len(sections)), key=lambda at: -scores[at])
    return [sections[at] for at in ranked if scores[at]]


def _count_terms(section: Section) -> Counter[str]:
    counts: Counter[str] = Counter()
    prose = _FENCED.sub("", section.text)
    context = " ".join((section.page, *section.titles[:-1]))
    weights = ((prose, 1), (context, 1), (section.titles[-1], _TITLE_WEIGHT))
    for text, weight in weights:
        for word, number in Counter(_WORD.findall(text)).items():
            for term in _find_terms(word):
                counts[term] += number * weight
    return counts


@cache
def _find_terms(word: str) -> frozenset[str]:
    """Return the search terms of a word: the word itself and the parts of an identifier, without endings."""
    parts = {word.lower(), *(part.lower() for part in _PART.findall(word))}
    return frozenset(_remove_ending(part) for part in parts - _COMMON)


def _remove_ending(word: str) -> str:
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= 3), "")
    return word.removesuffix(ending)


def summarize(markdown: str) -> str:
    """Return the first sentence of a page."""
    prose = _FENCED.sub("", _COMMENT.sub("", markdown))
    paragraphs = (" ".join(one.split()) for one in prose.split("\n\n"))
    first = next(one for one in paragraphs if one and one[0] not in "#|!<-" and not one.startswith("Generated"))
    return re.split(r"(?<=\.) (?=[A-Z`*])", _LINK.sub(r"\1", first))[0].removesuffix(":")
