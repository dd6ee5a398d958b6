"""Errors of the command line: a message or JSON, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hermes_sdk import __version__
from hermes_sdk.cli.code_runs import TESTS
from hermes_sdk.cli.groups import Group
from hermes_sdk.cli.main import run
from hermes_sdk.cli.program import COMMANDS, EXIT_CODES, group, run_command
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError


def run_to_exit(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(argv)
    out, err = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return stop.value.code, out, err


def test_version_and_help_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_to_exit(["--version"], capsys) == (0, f"hermes-sdk, version {__version__}\n", "")
    code, out, _ = run_to_exit(["--help"], capsys)
    assert code == 0
    assert all(f"  {name}  " in out and summary.split()[0] in out for name, summary in COMMANDS.items())


@pytest.mark.parametrize(
    ("word", "code", "text"), [("--version", 0, "hermes-sdk, version"), ("shwo", 2, "hermes-sdk ")]
)
def test_module_runs_as_the_program(word: str, code: int, text: str) -> None:
    done = subprocess.run([sys.executable, "-m", "hermes_sdk", word], capture_output=True, text=True, check=False)
    assert (done.returncode, text in done.stdout + done.stderr) == (code, True)


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("columns", [None, "", "0", "40", "79", "80", "200", "wide"])
def test_help_equals_the_output_of_click(
    option: str, columns: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    answer = run_to_exit([option], capsys)
    with pytest.raises(SystemExit) as stop:
        run_command([option])
    assert answer == (stop.value.code, *capsys.readouterr())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_to_exit([name, "--help"], capsys)
    assert code == 0
    assert out.startswith(f"Usage: hermes-sdk {name} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_commands_that_run_tests_mentions_missing_isolation(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = group.get_command(click.Context(group), name)
    _, out, _ = run_to_exit([name, "--help"], capsys)
    assert ("with the rights of your user" in " ".join(out.split())) == (TESTS in getattr(command, "runs", ()))


def test_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_to_exit(["shwo"], capsys)
    assert (code, out) == (2, "")
    assert "No such command 'shwo'; did you mean 'show'?" in err


@pytest.mark.parametrize(
    ("argv", "similar"),
    [
        (["plugins", "instal"], "install"),
        (["hooks", "docter"], "doctor"),
        (["hosts", "lst"], None),
        (["skill", "remov"], "remove"),
        (["contract", "dif"], "diff"),
    ],
)
def test_unknown_subcommand_names_a_similar_one(
    argv: list[str], similar: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run_to_exit(argv, capsys)
    assert (code, out) == (2, "")
    message = f"No such command '{argv[1]}'"
    assert err.splitlines()[-1] == f"Error: {message}" + (f"; did you mean '{similar}'?" if similar else ".")


def test_every_group_suggests_commands() -> None:
    groups = [command for command, _ in list_commands(group) if isinstance(command, click.Group)]
    assert len(groups) > 4
    assert all(isinstance(one, Group) for one in groups)


def list_commands(of: click.Group, path: str = "") -> Iterator[tuple[click.Command, str]]:
    for name in of.list_commands(click.Context(of)):
        command = of.get_command(click.Context(of), name)
        assert command is not None
        yield command, f"{path} {name}"
        if isinstance(command, click.Group):
            yield from list_commands(command, f"{path} {name}")


OWN_MEANING = {
    "--badge", "--diff", "--fix", "--markdown", "--online", "--output", "--python", "--real", "--scenario", "--strict",
}  # fmt: skip
"""Options that name a different thing in each command."""


def test_each_option_has_the_same_help_in_every_command() -> None:
    wordings: dict[str, set[str]] = {}
    for command, _ in list_commands(group):
        for option in command.params:
            if isinstance(option, click.Option) and option.opts[-1] not in OWN_MEANING:
                wordings.setdefault(option.opts[-1], set()).add((option.help or "").partition("  [")[0])
    # Not every command takes a path as a release, or can run on two hosts.
    assert wordings.pop("--release") == {
        "Hermes release.",
        "Hermes release; `installed` for your own Hermes; or the path of a Hermes program, Python, environment or "
        "checkout.",
    }
    short, long = sorted(wordings.pop("--host"))
    assert long.startswith(f"{short} `auto`: ")
    assert {name: texts for name, texts in wordings.items() if len(texts) > 1} == {}


def test_help_is_grouped_and_lists_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run_to_exit(["--help"], capsys)
    headings = [line[:-1] for line in out.splitlines() if line.endswith(":") and not line.startswith((" ", "Usage"))]
    assert headings == ["Options", "Create", "Test", "Check", "Debug", "Ship", "Hermes", "Exit codes"]
    codes = {error.exit_code for error in (HermesSdkError, UsageError, UnavailableError)}
    assert codes < EXIT_CODES.keys()
    assert all(f"\n  {code}  " in out for code in EXIT_CODES)


def test_sdk_error_is_a_message_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_to_exit(["show", str(tmp_path)], capsys)
    assert (code, out) == (2, "")
    assert err.startswith(f"hermes-sdk: no plugin in {tmp_path}: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("argv", "message", "fix"),
    [
        (["show", "nowhere", "--json"], "is not a directory", "Pass a plugin, its project"),
        (["show", "--json", "--release", "9.9", "tests/examples/word_count"], "'9.9'", "The known releases are 0.13.0"),
        (["show", "--json", ".", "--entry-point", "x"], "cannot be used together", "Drop one"),
        (["show", "--json", "--entry-point", "x"], "No entry point 'x' is installed", "hermes_agent.plugins"),
        (["show", "--json", "--bad-option"], "No such option", ""),
        (["show", "--json", "--host", "other"], "'other' is not one of", ""),
    ],
)
def test_usage_error_with_json_is_an_object(
    argv: list[str], message: str, fix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run_to_exit(argv, capsys)
    assert (code, err) == (2, "")
    answer = json.loads(out)
    assert answer["schema"] == "hermes-sdk.show/1"
    assert answer["error"].keys() == {"message", "where", "fix"}
    assert message in answer["error"]["message"]
    assert fix in answer["error"]["fix"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("word", ["schema", "--help", "--version"])
def test_unwritable_output_is_reported(word: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from hermes_sdk.cli.main import run; run()", word],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "hermes-sdk: the output cannot be written: No space left on device\n")
