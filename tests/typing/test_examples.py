"""Type checkers accept what is right, and complain about each line of what is wrong that is marked ``# error``."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent / "examples"
Places = set[tuple[str, int]]


# Marked lines that a checker lets pass, each with the reason.
UNSEEN = {
    "pyrefly": {
        'ctx.register_hook("post_tool_call", by_position)  # error': (
            "takes a required positional-only parameter for one that keywords can fill"
        )
    }
}


def expected(checker: str) -> Places:
    return {
        (path.name, number)
        for path in EXAMPLES.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.endswith("# error") and line.strip() not in UNSEEN.get(checker, {})
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
    return {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in found if one["severity"] == "error"}


def pyrefly() -> Places:
    config = str(EXAMPLES / "pyrefly.toml")
    paths = map(str, EXAMPLES.glob("*.py"))
    output = run(
        "pyrefly",
        "check",
        "--output-format=json",
        f"--config={config}",
        f"--python-interpreter-path={sys.executable}",
        *paths,
    )
    return {(Path(one["path"]).name, one["line"]) for one in json.loads(output)["errors"]}


@pytest.mark.parametrize("checker", [mypy, pyright, pyrefly])
def test_the_marked_lines_are_the_wrong_ones(checker: Callable[[], Places]) -> None:
    assert sorted(checker()) == sorted(expected(checker.__name__))
