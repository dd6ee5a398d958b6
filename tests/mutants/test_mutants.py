"""Mistakes in the templates: `check` or a contract suite finds nearly all that change what a project does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mutants.frozen import KINDS, judge_mutants, make_project, read_list
from mutants.operators import list_mutants

from hermes_sdk.manifest import locate


@pytest.mark.parametrize("kind", KINDS)
def test_the_mutants_are_the_frozen_ones(kind: str, tmp_path: Path) -> None:
    project = make_project(kind, tmp_path)
    assert [str(one) for one in list_mutants(project)] == [line.partition(" ")[2] for line in read_list(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutant_changes_one_file_and_can_be_compiled(kind: str, tmp_path: Path) -> None:
    project = make_project(kind, tmp_path)
    directory = locate(project).directory
    for mutant in list_mutants(project):
        before = (directory / mutant.file).read_bytes()
        mutant.apply(directory)
        after = (directory / mutant.file).read_bytes()
        assert before != after
        assert len(before.splitlines()) == len(after.splitlines())
        if mutant.file.endswith(".py"):
            ast.parse(after)
        (directory / mutant.file).write_bytes(before)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_lists_say_which_mutants_change_behaviour(kind: str, tmp_path: Path) -> None:
    assert list(judge_mutants(kind, make_project(kind, tmp_path))) == read_list(kind)
