"""A named pipe among the files of a plugin, without a writer, does not block a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from thinning import thin_out

from hermes_sdk.home import Home

PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "demo"
version = "1"
"""
NAMES = ("pipe", "__init__.py", "plugin.yaml", "pyproject.toml", "requirements.txt", "README.md", "backend.py")
COMMANDS = ("plugins install", "plugins install --link", "check", "check --static", "show")


@pytest.mark.parametrize(("name", "command"), thin_out(NAMES, COMMANDS))
def test_named_pipe_does_not_block_a_command(home: Home, tmp_path: Path, command: str, name: str) -> None:
    directory = tmp_path / "demo"
    directory.mkdir()
    (directory / "plugin.yaml").write_text("name: demo\nversion: 1\ndescription: A demo.\n")
    (directory / "__init__.py").write_text("def register(ctx): pass\n")
    (directory / "pyproject.toml").write_text(PROJECT)
    (directory / name).unlink(missing_ok=True)
    os.mkfifo(directory / name)
    done = run(*command.split(), str(directory))
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2)
    if command == "plugins install":
        assert (done.returncode, list(home.plugins_dir.iterdir())) == (2, [])


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``hermes-sdk`` with less time than the time limit for loading a plugin."""
    code = "from hermes_sdk.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], check=False, capture_output=True, text=True, timeout=25
    )
