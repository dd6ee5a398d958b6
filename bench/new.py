"""CPU time of `hermes-sdk new` compared with the `cookiecutter` command on the same template, as whole processes.

Both make the project in memory if the machine allows it, and run the hooks of the template.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.measure import Command, Figure
from hermes_sdk.scaffold.template import templates

ROUNDS = 7
BIN = Path(sys.executable).parent
TEMPLATES = Path(__file__).parents[1] / "templates"
MEMORY = Path("/dev/shm")


def figures() -> Iterator[Figure]:
    """Return one figure for each template."""
    for kind in templates():
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
            yield Figure(f"hermes-sdk new {kind}, beside cookiecutter", _ratio(kind, Path(name)), 1.0)


def _ratio(kind: str, scratch: Path) -> float:
    config, output = scratch / "config.yaml", scratch / "output"
    config.write_text(json.dumps({"cookiecutters_dir": str(scratch), "replay_dir": str(scratch)}))
    asked = ["--no-input", "--output-dir", str(output)]
    ours = Command([str(BIN / "hermes-sdk"), "new", kind, *asked])
    theirs = Command([str(BIN / "cookiecutter"), str(TEMPLATES / kind), *asked, "--config-file", str(config)])
    found: list[float] = []
    for _ in range(ROUNDS + 1):
        times = [_measure_creation(command, output) for command in (ours, theirs)]
        found.append(times[0] / times[1])
    return median(found[1:])


def _measure_creation(command: Command, output: Path) -> float:
    output.mkdir()
    try:
        return command.cpu()
    finally:
        shutil.rmtree(output)
