"""The README is short, has its parts in order, and shows correct figures and grades."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.case import all_cases
from docs.blocks import ROOT, blocks

from hermes_sdk import contract
from hermes_sdk.check.rules import RULES
from hermes_sdk.scaffold.template import templates

README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = re.findall(r"^\| (\d[^|]*) \| (.*) \|$", README, re.MULTILINE)
WORD_LIMIT = 550


def test_readme_is_short() -> None:
    assert len(README.split()) <= WORD_LIMIT


def test_readme_has_its_parts_in_order() -> None:
    parts = ["# hermes-sdk", "Create, test", "Your tests are green", "![", "```python", "```console", "## Try it"]
    parts += ["`make demo`", "`make test`", "pip install", "- **Fast.**", "| Hermes |", "## Links"]
    places = [README.index(part) for part in parts]
    assert places == sorted(places)


def test_readme_shows_a_short_test_and_four_commands() -> None:
    found = [block for _, block in blocks(ROOT / "README.md") if not block.reason]
    (test,) = [block for block in found if block.language == "python"]
    assert len([line for line in test.source.splitlines() if line]) <= 10
    assert sum(block.source.count("$ ") for block in found if block.language == "console") == 4


def figures() -> dict[str, int]:
    """Return the figure of each bullet by the bullet's title."""
    bullets = re.findall(r"^- \*\*([\w ]+)\.\*\*([^\n]*)", README, re.MULTILINE)
    return {word: int(re.findall(r"\d[\d,]*", text)[0].replace(",", "")) for word, text in bullets}


def test_figures_in_readme_match_limits_and_counts() -> None:
    shown = figures()
    assert [*shown] == ["Fast", "Proven", "Checked", "Every release", "Complete"]
    # `make bench` fails if a conversation takes more than twice this time.
    assert f'1000 * ours, {2 * shown["Fast"]}, "ms"' in (ROOT / "bench/turns.py").read_text(encoding="utf-8")
    assert shown["Proven"] <= len(all_cases()) < shown["Proven"] * 1.2
    assert shown["Checked"] <= len(RULES) < shown["Checked"] * 1.2
    assert shown["Every release"] == len(contract.modelled_releases())
    assert shown["Complete"] == len(templates())


def list_named_releases(cell: str) -> Iterator[str]:
    """Yield the known releases that a cell names, such as `0.20.2, 0.22.2` or `0.13.0–0.18.2`."""
    known = contract.known_releases()
    for part in cell.split(", "):
        first, _, last = part.partition("–")
        yield from known[known.index(first) : known.index(last or first) + 1]


def test_table_has_the_grade_of_each_release() -> None:
    rows = {release: text for cell, text in TABLE for release in list_named_releases(cell)}
    assert sorted(rows) == sorted(contract.known_releases())
    low, high = map(int, re.findall(r"measured: (\d+)–(\d+) %", README)[0])
    for release, text in rows.items():
        grade, _, measured = contract.grade(release).partition("measured ")
        assert re.match(rf"{grade or 'measured'}(?:[:;,]|$)", text), release
        if measured:
            equal, every = map(int, measured.split("/"))
            assert low <= 100 * equal / every < high + 1, release
