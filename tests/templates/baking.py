"""Projects for tests: each template with its defaults, in two other variants, and with each pair of choices."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates, variables

ROOT = Path(__file__).parents[2]
KINDS = tuple(templates())
Answers = Mapping[str, str]


def choices(kind: str) -> dict[str, list[str]]:
    """Return the variables of a template that have choices, with only the first and last of the minimum versions."""
    known = variables(kind)
    found = {name: choices for name in known.names if (choices := known.choices(name))}
    return {name: [value[0], value[-1]] if name.endswith("_floor") else value for name, value in found.items()}


def variants(kind: str) -> dict[str, dict[str, str]]:
    """Return the default of a template, and two variants in which every choice differs."""
    found = choices(kind)
    return {
        "default": {},
        "last": {name: value[-1] for name, value in found.items()},
        "middle": {name: value[len(value) // 2] for name, value in found.items()},
    }


def pairwise(kind: str) -> Iterator[dict[str, str]]:
    """Yield variants of a template that together contain each pair of choices."""
    found = choices(kind)
    open_pairs = {
        frozenset({one, other})
        for first, second in itertools.combinations(found, 2)
        for one, other in itertools.product(
            [(first, value) for value in found[first]], [(second, value) for value in found[second]]
        )
    }
    candidates = [dict(zip(found, values, strict=True)) for values in itertools.product(*found.values())]
    while open_pairs:
        best = max(candidates, key=lambda one: len(_pairs(one) & open_pairs))
        open_pairs -= _pairs(best)
        yield best


def _pairs(answers: Answers) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(pair) for pair in itertools.combinations(answers.items(), 2)}


def bake(kind: str, output: Path, slug: str, answers: Answers) -> Path:
    """Create a project; with one-word slugs, type checkers accept several projects as packages of one run."""
    return new(kind, output, name="Team Notes", extra={"plugin_slug": slug, **answers})


def run_in(directory: Path, program: str, *argv: str) -> str:
    """Run a program of this environment in a directory, without the settings of this test run."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))}
    # Users have few pytest plugins; loading those of this environment would slow down each run.
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "hermes_sdk_pytest"}
    done = subprocess.run(
        [Path(sys.executable).parent / program, *argv],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def list_commands(project: Path) -> dict[str, list[str]]:
    """Return the `hermes-sdk` commands in a project's README: the first word after `hermes-sdk`, and the others."""
    lines = (project / "README.md").read_text(encoding="utf-8").splitlines()
    named = [line.partition("#")[0].split() for line in lines if line.startswith("    hermes-sdk ")]
    return {words[1]: words[2:] for words in named}


def files(directory: Path) -> list[str]:
    """Return the paths of a project's files, except for caches of tools."""
    paths = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in paths if ".mypy_cache" not in path.parts)
