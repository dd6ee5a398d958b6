"""Texts of Hermes in the code of the embedded host; `literals.toml` says how plugins can depend on long texts."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_sdk.hosts import embedded

LONG = 60
LITERALS = tomllib.loads(Path(__file__).with_name("literals.toml").read_text(encoding="utf-8"))["literal"]
BEGINNINGS = [begins for one in LITERALS for begins in one["begins"]]


def texts(folder: Path) -> Iterator[str]:
    """Yield the strings in the modules below a directory, except docstrings, each on one line."""
    for file in folder.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                yield " ".join(node.value.split())


def test_listed_texts_are_in_code() -> None:
    said = list(texts(Path(embedded.__file__).parent))
    assert [begins for begins in BEGINNINGS if not any(" ".join(begins.split()) in text for text in said)] == []


def test_only_beginnings_of_texts_are_listed() -> None:
    assert [begins for begins in BEGINNINGS if len(begins) >= LONG] == []


@pytest.mark.slow
@pytest.mark.real_host
def test_long_texts_of_hermes_are_listed(real_python: Callable[[str], Path]) -> None:
    [packages] = Path(real_python("0.22.2")).parent.parent.glob("lib/python*/site-packages")
    folders = [packages / name for name in ("agent", "gateway", "hermes_cli", "plugins", "tools")]
    theirs = "\n".join({text for folder in folders for text in texts(folder) if len(text) >= LONG})
    long = {text for text in texts(Path(embedded.__file__).parent) if len(text) >= LONG and text in theirs}
    assert [text for text in long if not any(" ".join(begins.split()) in text for begins in BEGINNINGS)] == []
