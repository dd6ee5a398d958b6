"""Type checkers accept correct examples, and report each line marked ``# error`` in wrong ones."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk import api

EXAMPLES = Path(__file__).parent / "examples"
Places = set[tuple[str, int]]


# Marked lines that a checker accepts, with reasons.
UNSEEN = {
    "pyrefly": {
        'ctx.register_hook("post_tool_call", by_position)  # error': (
            "takes a required positional-only parameter for one that keywords can fill"
        )
    }
}


def find_expected(checker: str) -> Places:
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
def test_type_checkers_report_exactly_the_marked_lines(checker: Callable[[], Places]) -> None:
    assert sorted(checker()) == sorted(find_expected(checker.__name__))


@pytest.mark.parametrize(
    "checker",
    [
        ("mypy", "--config-file=", "--strict"),
        ("pyright", "--pythonpath", sys.executable),
        ("pyrefly", "check", f"--config={EXAMPLES}/pyrefly.toml", f"--python-interpreter-path={sys.executable}"),
    ],
    ids=lambda checker: checker[0],
)
def test_type_checkers_know_every_public_name_and_no_other(checker: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "names.py"
    for names, code in ((api.__all__, 0), ([*api.__all__, "PluginContxt"], 1)):
        file.write_text(
            f"from hermes_sdk.api import {', '.join(names)}\n\nprint({', '.join(names)})\n", encoding="utf-8"
        )
        done = subprocess.run(
            [sys.executable, "-m", *checker, str(file)], check=False, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == code, done.stdout + done.stderr


MISSPELT = """
from hermes_sdk.api import PluginContext


def recall(user_message: str, **kwargs: object) -> None: ...


def take_number(number: int) -> None: ...


def register(ctx: PluginContext) -> None:
    ctx.register_hook("pre_lm_call", recall)
    ctx.register_middleware("llm_requests", recall)
    ctx.register_hook("post_tool_call", take_number)
"""


def test_type_error_names_the_marker_or_the_expected_callback(tmp_path: Path) -> None:
    file = tmp_path / "misspelt.py"
    file.write_text(MISSPELT, encoding="utf-8")
    found = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, str(file)))["generalDiagnostics"]
    told = [one["message"] for one in found if one["rule"] == "reportArgumentType"]
    kinds = [
        '"hook_name" of type "Sequence[KnownNameForThisCallback]"',
        '"kind" of type "Sequence[KnownNameForThisCallback]"',
        '"PostToolCallCallback"',
    ]
    assert [kind in message for kind, message in zip(kinds, told, strict=True)] == [True] * 3
    *lines, _ = run("mypy", "--config-file=", str(file)).splitlines()
    told = 'has incompatible type "str"; expected "Sequence[KnownNameForThisCallback]"  [arg-type]'
    assert [line.endswith(told) for line in lines] == [True] * 3


def test_type_error_mentions_missing_kwargs(tmp_path: Path) -> None:
    file = tmp_path / "narrow.py"
    file.write_text(
        "from hermes_sdk.api import hooks\n\n\n"
        "def ask(telemetry_schema_version: str, **rest: object) -> None: ...\n\n\n"
        "def narrow(telemetry_schema_version: str, session_id: str, model: str, platform: str) -> None: ...\n\n\n"
        "right: hooks.OnSessionStartCallback = ask\nwrong: hooks.OnSessionStartCallback = narrow\n",
        encoding="utf-8",
    )
    (found,) = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, str(file)))[
        "generalDiagnostics"
    ]
    assert 'Missing keyword parameter "accept **kwargs"' in found["message"]
