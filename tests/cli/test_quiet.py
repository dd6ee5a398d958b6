"""Output to files and with `--quiet`: no colors, and tables of at most 100 columns."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios

import click
import pytest

from hermes_sdk.cli.main import run
from hermes_sdk.cli.program import COMMANDS, group

PROGRAM = [sys.executable, "-c", "from hermes_sdk.cli.main import run; run()"]
TABLE = ["contract", "diff", "0.19.0", "0.20.2"]


def run_on_terminal(*argv: str, **variables: str) -> str:
    """Return the output of a command on a terminal with 200 columns."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 200))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    environment = {**kept, "TERM": "xterm-256color", **variables}
    with subprocess.Popen([*PROGRAM, *argv], stdin=theirs, stdout=theirs, env=environment):
        os.close(theirs)
        read = b""
        try:
            while more := os.read(ours, 65536):
                read += more
        except OSError:  # Linux raises EIO at the end of a terminal.
            pass
    os.close(ours)
    return read.decode().replace("\r\n", "\n")


def find_widest(text: str) -> int:
    return max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in text.splitlines())


@pytest.mark.parametrize(
    ("argv", "variables"),
    [([*TABLE, "--quiet"], {}), (["--quiet", *TABLE], {}), (TABLE, {"HERMES_SDK_QUIET": "1"})],
)
def test_quiet_terminal_output_equals_file_output(argv: list[str], variables: dict[str, str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    piped = subprocess.run([*PROGRAM, *TABLE], capture_output=True, text=True, env=environment, check=True)
    assert run_on_terminal(*argv, **variables) == piped.stdout


def test_terminal_output_has_colors_and_its_own_width() -> None:
    shown = run_on_terminal(*TABLE)
    assert "\x1b[" in shown
    assert 100 < find_widest(shown) <= 200


def test_file_output_has_100_columns_when_the_input_is_a_terminal() -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 200))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run([*PROGRAM, *TABLE], stdin=theirs, stdout=subprocess.PIPE, env=environment, check=True)
    os.close(ours)
    os.close(theirs)
    assert find_widest(done.stdout.decode()) <= 100
    assert not re.search(r"(?m) $", done.stdout.decode())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_accepts_quiet(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_SDK_QUIET", "")  # Restored after the test: --quiet sets it.
    command = group.get_command(click.Context(group), name)
    argv = [name, "--quiet"] if not isinstance(command, click.Group) else ["--quiet", name]
    with pytest.raises(SystemExit) as stop:
        run([*argv, "--help"])
    assert stop.value.code == 0
    assert "--quiet" not in capsys.readouterr().out
