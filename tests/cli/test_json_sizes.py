"""`--json` of every command: its schema, and its size according to the guide for coding agents."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import jsonschema
import pytest
from docs.blocks import ROOT
from docs.schemas import SHAPES, read_schema

from hermes_sdk.cli.main import run
from hermes_sdk.cli.program import group

PAGE = (ROOT / "docs" / "how-to" / "coding-agents.md").read_text(encoding="utf-8")
SIZES = {row[1]: int(row[2]) for row in re.finditer(r"(?m)^\| `hermes-sdk (.+ --json)` \| (\d+) kB \|$", PAGE)}
"""Size in kilobytes by command, from the page."""

OTHERS = [
    "hooks test pre_tool_call --json",
    "hooks revoke none --json",
    "hosts install 9.9 --json",
    "hosts remove 9.9 --json",
    "hosts stop --json",
    "submit --json",
]
"""Commands that change files or need more than a project; most of them fail in this test."""

SCENARIO = "plugins: [team_notes]\nturns: [What do you know?]\nscript: {main: [{text: Nothing.}]}\n"
SLOW = "compat --json"
"""A command that runs the tests on all releases."""

PROSE = ("docs", "explain", "contract show hook")
"""Commands that print each paragraph on a single line."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Create a project from the template, with a scenario and a recording, on a machine without Hermes."""
    base = tmp_path_factory.mktemp("sizes")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CI", "COLUMNS"):
            patch.delenv(name, raising=False)
        for name in ("HOME", "HERMES_HOME", "HERMES_SDK_CACHE"):
            (base / name).mkdir()
            patch.setenv(name, str(base / name))
        for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
            patch.setenv(f"{name}_NAME", "Ada")
            patch.setenv(f"{name}_EMAIL", "ada@example.org")
        patch.chdir(base)
        assert call("new plugin --no-input") == 0
        patch.chdir(base / "team-notes")
        Path("chat.yaml").write_text(SCENARIO)
        assert call("record --scenario chat.yaml -o chat.trace") == 0
        subprocess.run("git add . && git commit --quiet -m 'Add a recording'", shell=True, check=True)
        yield Path.cwd()


def call(command: str) -> int | str | None:
    with pytest.raises(SystemExit) as stop:
        run(shlex.split(command))
    return stop.value.code


def list_commands(of: click.Group, path: str = "") -> Iterator[str]:
    """List the commands with `--json`."""
    for name in of.list_commands(click.Context(of)):
        command = of.get_command(click.Context(of), name)
        assert command
        if any("--json" in one.opts for one in command.params):
            yield f"{path}{name}"
        if isinstance(command, click.Group):
            yield from list_commands(command, f"{path}{name} ")


def test_json_of_every_command_is_tested() -> None:
    tested = [*SIZES, *OTHERS]
    assert [one for one in list_commands(group) if not any(line.startswith(f"{one} ") for line in tested)] == []


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=[pytest.mark.slow] if one == SLOW else []) for one in (*SIZES, *OTHERS)]
)
def test_json_matches_its_schema_and_size(command: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Path.cwd() == project
    call(command)
    printed = capsys.readouterr().out
    documents = [json.loads(one) for one in (printed.splitlines() if "\n{" in printed else [printed])]
    name = documents[0]["schema"].removeprefix("hermes-sdk.").removesuffix("/1")
    validator = jsonschema.Draft202012Validator(read_schema(SHAPES[name]))
    for one in documents:
        validator.validate(one)
    if command in SIZES:
        assert not documents[0].get("error")
        size = len(printed.encode()) / 1000
        assert size <= SIZES[command] <= max(2 * size, 1)


@pytest.mark.parametrize("command", [one for one in SIZES if not one.startswith((*PROSE, SLOW))])
def test_text_output_to_a_file_has_at_most_100_columns(
    command: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Path.cwd() == project
    call(command.removesuffix(" --json"))
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > 100] == []


def test_templates_are_listed_in_at_most_100_columns(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.is_dir()
    assert call("new") == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100
