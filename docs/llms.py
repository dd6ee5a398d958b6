"""Write `llms.txt`, a list of all pages, and `llms-full.txt`, all of their text, into the built site (llmstxt.org).

This hook of mkdocs runs with each build, so that both files are as new as the pages.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from hermes_sdk.documentation import summarize

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_pages: list[tuple[str, Page]] = []


def on_nav(nav: Navigation, **_: object) -> Navigation:
    """Remember the pages in order, each with its section."""
    _pages.clear()
    for item in nav.items:
        if isinstance(item, Page):
            _pages.append(("", item))
        elif isinstance(item, Section):
            _pages.extend((item.title, child) for child in item.children if isinstance(child, Page))
    return nav


def on_post_build(config: MkDocsConfig, **_: object) -> None:
    """Write both files."""
    site = Path(config.site_dir)
    listed, section = [f"# {config.site_name}", "", f"> {config.site_description}"], None
    for title, page in _pages:
        if title != section and title:
            listed += ["", f"## {title}", ""]
        section = title
        if title:
            listed.append(f"- [{page.title}]({page.url}): {summarize(page.markdown or '')}")
    (site / "llms.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")
    full = (f"<!-- {page.url} -->\n\n{_COMMENT.sub('', page.markdown or '').strip()}\n" for _, page in _pages)
    (site / "llms-full.txt").write_text("\n\n".join(full), encoding="utf-8")
