"""The documentation is short enough to read: words per page, and in total."""

from __future__ import annotations

from docs.blocks import PAGES, ROOT

PAGE_LIMIT = 5_500
TOTAL_LIMIT = 96_700

TOO_LONG = {"context", "hooks"}
"""Pages that are still longer than the limit."""

WORDS = {path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").split()) for path in PAGES}


def test_no_page_has_more_words_than_the_limit() -> None:
    too_long = {page for page, words in WORDS.items() if words > PAGE_LIMIT}
    assert too_long == {f"docs/reference/{name}.md" for name in TOO_LONG}


def test_the_pages_together_have_no_more_words_than_the_limit() -> None:
    assert sum(WORDS.values()) <= TOTAL_LIMIT
