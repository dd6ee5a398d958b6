"""CPU time of a whole process of `hermes-sdk add tool` on a project of the template, in units of `python -c pass`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Command, Figure, ratios
from bench.startup import SCRIPT
from hermes_sdk.scaffold.new import new

ROUNDS = 15


@dataclass(frozen=True)
class OnCopy(Command):
    """A command that runs in a fresh copy of a directory; the copying is not measured."""

    original: Path = Path()

    def cpu(self) -> float:
        assert self.cwd is not None
        shutil.rmtree(self.cwd, ignore_errors=True)
        shutil.copytree(self.original, self.cwd)
        return super().cpu()


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        project = new("plugin", scratch, name="Team Notes")
        command = OnCopy([str(SCRIPT), "add", "tool", "fetch_page"], cwd=scratch / "copy", original=project)
        measured = ratios(Command([sys.executable, "-c", "pass"]), {"add": command}, ROUNDS)
    yield Figure("hermes-sdk add tool", measured["add"], 20)
