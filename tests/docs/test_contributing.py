"""CONTRIBUTING is short, and its paths and targets exist."""

from __future__ import annotations

import re

import pytest
from docs.blocks import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOTS = [
    ROOT / name
    for name in ("", "hermes_sdk", "tests", "tests/conformance", "hermes_sdk/hosts/embedded", ".github/workflows")
]
WORD_LIMIT = 2_200
MADE = {"build/fuzz", "build/prove/<release>.md", "build/sbom.cdx.json"}
"""Paths that commands create."""


def paths() -> set[str]:
    """Return the paths in code spans: those with a slash or a file extension."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
    words = {word for span in spans for word in span.split()}
    pattern = re.compile(r"[\w.<>*-]+(?:/[\w.<>*-]+)+|[\w-]+\.(?:py|md|toml|json|yml)")
    return {word for word in words if pattern.fullmatch(word)} - MADE


def test_contributing_is_short() -> None:
    assert len(TEXT.split()) <= WORD_LIMIT


@pytest.mark.parametrize("path", sorted(paths()))
def test_path_in_contributing_exists(path: str) -> None:
    pattern = re.sub(r"<\w+>", "*", path).removeprefix("/")
    assert any(any(root.glob(pattern)) for root in ROOTS)


def test_make_targets_in_contributing_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z-]+)", TEXT)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_table_lists_the_parts_to_change() -> None:
    table = TEXT.partition("## What to touch")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert all(len(row) == 5 for row in rows)
    for change in ("existing rule", "CLI command", "plugin's process sees of the host", "classification of an error"):
        assert any(change in row[0] for row in rows), change
    assert all(row[-1].startswith("`pytest tests/") for row in rows)
