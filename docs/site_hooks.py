"""Finish pages of the built site: releases, short tables of contents, and tables and code that fit a phone.

A hook of mkdocs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

from hermes_sdk.contract import grade, known_releases
from hermes_sdk.documentation import make_anchor

RELEASES = "<!-- releases -->"
_CODE = re.compile(r"<code>(?:[^<]|<wbr>)*</code>")


def on_config(config: MkDocsConfig, **_: object) -> MkDocsConfig:
    """Label the cells of every table, and name anchors as `hermes-sdk docs` does."""
    config.markdown_extensions.append(CellLabels())
    config.mdx_configs["toc"]["slugify"] = make_anchor
    return config


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Show the releases of Hermes on the home page."""
    return markdown.replace(RELEASES, format_releases()) if page.file.src_uri == "index.md" else markdown


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Shorten the table of contents, and choose where code wraps: in headings between names, never in an option."""
    _shorten_titles(page.toc)
    html = re.sub(r"<h[1-6].*?</h[1-6]>", lambda heading: _CODE.sub(_break_names, heading[0]), html)
    return _CODE.sub(lambda code: re.sub(r"--\w[\w-]*", r'<span class="option">\g<0></span>', code[0]), html)


def _shorten_titles(links: Iterable[AnchorLink]) -> None:
    """List members by their names alone, because the table of contents has no room for calls."""
    for link in links:
        name = link.title.partition("(")[0]
        if name.replace(".", "-") == link.id:
            link.title = name.rpartition(".")[2]
        _shorten_titles(link.children)


def _break_names(code: re.Match[str]) -> str:
    return re.sub(r"(?<=[.(])(?=[^\W\d])", "<wbr>", code[0])


def format_releases() -> str:
    """Return the strip of releases: neighbours with the same grade are one item."""
    items = []
    for word, group in groupby(known_releases(), key=_describe_grade):
        releases = [*group]
        span = releases[0] if len(releases) == 1 else f"{releases[0]}–{releases[-1]}"
        items.append(f'<li class="{word.split()[0].lower()}"><b>{span}</b> {word}</li>')
    return f'<ul class="releases">{"".join(items)}</ul>'


def _describe_grade(release: str) -> str:
    """Return the grade of a release without numbers, such as ``measured``."""
    return re.sub(r" \d.*", "", grade(release) or "")


class CellLabels(Extension):
    """Labels each cell of a table with the heading of its column, for narrow screens."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the step, which runs when the tables are complete."""
        md.treeprocessors.register(_Labels(md), "cell_labels", 1)


class _Labels(Treeprocessor):
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            headings = ["".join(cell.itertext()) for cell in table.iterfind("thead/tr/th")]
            for row in table.iterfind("tbody/tr"):
                for heading, cell in zip(headings, row, strict=False):
                    cell.set("data-label", heading)
