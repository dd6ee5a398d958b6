"""Reported locations of functions that rejected their arguments, although a TypeError has only their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_sdk.testing.suites.rules.places import locate_functions

SOURCE = """\
class Store:
    def add(self, text, *, where): ...
    async def find(self, text, **more): ...
def find(text): ...
def register(ctx):
    def answer(line): ...
    ctx.register_command("notes", answer)
class Twice:
    def end(self): ...
def end(): ...
def start(): ...
def start(): ...
"""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("Store.add() takes 2 positional arguments but 3 were given", 2),
        ("Store.add() missing 1 required keyword-only argument: 'where'", 2),
        ("Store.add() got an unexpected keyword argument 'at'", 2),
        ("register.<locals>.answer() takes 1 positional argument but 2 were given", 6),
        ("find() takes 1 positional argument but 2 were given", 4),
        ("find() got an unexpected keyword argument 'limit'", 4),
        ("end() takes 0 positional arguments but 1 was given", 10),
        ("end() takes 1 positional argument but 2 were given", 9),
        ("find() missing 1 required positional argument: 'text'", 0),
        ("find() takes from 1 to 3 positional arguments but 4 were given", 0),
        ("start() takes 0 positional arguments but 1 was given", 0),
        ("print() takes 1 positional argument but 2 were given", 0),
        ("the function end() failed", 0),
    ],
)
def test_function_that_rejected_its_arguments_is_located_if_unambiguous(error: str, line: int, tmp_path: Path):
    (tmp_path / "notes.py").write_text(SOURCE, "utf-8")
    (tmp_path / "invalid.py").write_text("def end() takes", "utf-8")
    located = error.replace("()", f"() at {tmp_path / 'notes.py'}:{line}") if line else error
    assert locate_functions(f"tool x: TypeError: {error}; more", tmp_path) == f"tool x: TypeError: {located}; more"
