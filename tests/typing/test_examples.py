"""Type checkers accept a right plugin, and complain about each line of a wrong one that is marked ``# error``."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent / "examples"
Places = set[tuple[str, int]]


def expected() -> Places:
    return {
        (path.name, number)
        for path in EXAMPLES.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.endswith("# error")
    }


def run(*command: str) -> str:
    done = subprocess.run([sys.executable, "-m", *command], check=False, capture_output=True, text=True)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done.stdout


def mypy() -> Places:
    output = run("mypy", "--config-file=", "--strict", str(EXAMPLES))
    return {(Path(path).name, int(line)) for path, line in re.findall(r"^(.+?):(\d+): error:", output, re.MULTILINE)}


def pyright() -> Places:
    output = run("pyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(EXAMPLES))
    found = json.loads(output)["generalDiagnostics"]
    return {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in found}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_the_marked_lines_are_the_wrong_ones(checker: Callable[[], Places]) -> None:
    assert sorted(checker()) == sorted(expected())
