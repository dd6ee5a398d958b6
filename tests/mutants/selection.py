"""Frozen lists of mutants, one file per template, created before any rule was changed because of them.

Each line begins with `changes` if the mutant changes the behaviour of the project in its scenario, or with `same`. Next
is `interface` if Hermes itself calls or reads the code, or `own` if only the plugin does. After a change of a template
or an operator, `PYTHONPATH=tests python -m mutants.selection` updates the lists.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from mutants.behaviour import record_behaviour
from mutants.operators import Mutant, list_mutants

from hermes_sdk.manifest import locate
from hermes_sdk.scaffold.new import new

KINDS = ("plugin", "memory-provider", "platform")
_LISTS = Path(__file__).parent / "lists"


def make_project(kind: str, folder: Path) -> Path:
    """Create the project of a template for the lists."""
    return new(kind, folder, name="Notebook")


def read_list(kind: str) -> list[str]:
    """Return the lines of a frozen list."""
    return (_LISTS / f"{kind}.txt").read_text(encoding="utf-8").splitlines()


@contextmanager
def copy_with_mistake(project: Path, mutant: Mutant) -> Generator[Path]:
    """Copy a project, with one mistake."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(shutil.copytree(project, Path(folder) / project.name, ignore=shutil.ignore_patterns("__pycache__")))
        mutant.apply(locate(copy).directory)
        yield copy


def judge_mutants(kind: str, project: Path) -> Iterator[str]:
    """Compare the behaviour of each mutant with that of the project, and yield the lines of the list."""
    expected = record_behaviour(kind, project)
    for mutant in list_mutants(project):
        with copy_with_mistake(project, mutant) as copy:
            changes = record_behaviour(kind, copy) != expected
        yield f"{'changes' if changes else 'same'} {mutant}"


if __name__ == "__main__":
    for kind in sys.argv[1:] or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            lines = list(judge_mutants(kind, make_project(kind, Path(folder))))
        (_LISTS / f"{kind}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
