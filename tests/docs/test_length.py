"""Limits for the number of words on each page, and on all pages together."""

from __future__ import annotations

from docs.blocks import PAGES, ROOT

PAGE_LIMIT = 4_700
TOTAL_LIMIT = 62_000

WORDS = {path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").split()) for path in PAGES}


def test_pages_are_shorter_than_the_limit() -> None:
    assert [page for page, words in WORDS.items() if words > PAGE_LIMIT] == []


def test_all_pages_together_are_shorter_than_the_limit() -> None:
    assert sum(WORDS.values()) <= TOTAL_LIMIT
