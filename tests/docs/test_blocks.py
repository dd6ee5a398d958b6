"""The code blocks of the documentation run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from docs.blocks import GENERATED, PAGES, ROOT, Block, blocks
from docs.running import KINDS, Page, check_calls, follow, matches
from docs.test_first_steps import FIRST_PAGES


def get_page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


RUN = [page for page in PAGES if get_page_name(page) not in GENERATED]
RUN_HERE = [page for page in RUN if page not in FIRST_PAGES]
"""Pages to follow in this environment; `FIRST_PAGES` are followed in an empty environment."""
LONG = {"add-to-a-plugin", "contract-suites", "editor", "publish-a-plugin", "recipes", "settings", "verify"}
"""Pages whose commands take longest, which `make test` does not follow."""
SLOW = [page for page in RUN_HERE if any(block.slow for _, block in blocks(page))]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=get_page_name(page), marks=[pytest.mark.slow] if page.stem in LONG else [])
        for page in RUN_HERE
        if next(blocks(page), None)
    ],
)
def test_blocks_of_page_run(page: Path, tmp_path: Path) -> None:
    follow(page, Page(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=get_page_name)
def test_slow_blocks_of_page_run(page: Path, tmp_path: Path) -> None:
    follow(page, Page(tmp_path, slow=True))


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("page", ["test-a-turn.md", "test-http.md", "settings.md"])
def test_tests_of_page_pass_in_the_real_hermes(page: str, tmp_path: Path, real_python: Callable[[str], object]) -> None:
    real_python("0.19.0")
    follow(ROOT / "docs" / "how-to" / page, Page(tmp_path, host="real"))


def test_language_of_each_block_is_supported(record_property) -> None:
    kinds: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for page in RUN:
        for _, block in blocks(page):
            assert block.language in KINDS, f"{get_page_name(page)}: a block of the unknown language {block.language!r}"
            (left_out if block.reason else kinds)[block.language] += 1
    record_property("tally", ["blocks of the documentation", dict(kinds)])
    record_property("tally", ["blocks that are not run, each with its reason", dict(left_out)])


def test_code_is_fenced() -> None:
    # An indented block has no language, so it would not run.
    indented = re.compile(r"(?:^|\n)\n {4}(?!\s*(?:[-*]|\d+\.)\s)\S")
    for page in RUN:
        text = re.sub(r"^( *)(```+).*?^\1\2", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
        found = indented.search(text)
        assert not found or get_page_name(page) in INDENTED, f"{get_page_name(page)}: {found and found[0]}"


INDENTED = {"docs/index.md"}
"""Pages with list items of several paragraphs."""


@pytest.mark.parametrize(
    "source",
    ["hermes-sdk check --no-such-option", "hermes-sdk plugins instal", "A=1 hermes-sdk new --nme x && true"],
)
def test_unknown_option_fails_the_block(source: str) -> None:
    with pytest.raises(Exception, match="No such"):
        check_calls(source)


def test_failing_block_fails_the_page(tmp_path: Path) -> None:
    reader = Page(tmp_path)
    for block in (
        Block("console", "", "$ false\n"),
        Block("console", "", "$ echo one\ntwo\n"),
        Block("python", "", "assert 1 == 2\n"),
        Block("yaml", "plugin.yaml", "name: [1]\n"),
        Block("json", "", "{"),
        Block("cobol", "", ""),
        Block("text", "", "x"),
    ):
        with pytest.raises(Exception, match=r"."):
            reader.run(block)


def test_console_block_compares_the_output(tmp_path: Path) -> None:
    Page(tmp_path).run(Block("console", "", "$ seq 5\n1\n…\n5\n$ echo took 3 s\ntook …\n"))


@pytest.mark.parametrize(
    ("expected", "same"),
    [
        (["a", "b"], False),
        (["a", "…"], True),
        (["…", "c"], True),
        (["…", "b", "…", "c"], True),
        (["…", "c", "…", "c"], False),
        (["a", "…", "x", "…"], False),
        (["…b"], False),
        (["…", "…"], True),
    ],
)
def test_ellipsis_matches_omitted_lines(expected: list[str], same: bool) -> None:
    assert matches(expected, ["a", "b", "c"]) is same
