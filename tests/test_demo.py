"""Output of `make demo` with a real Hermes, and without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.hosts.environments import find_newest_release

ROOT = Path(__file__).parents[1]


def run_demo(home: Path, **variables: str) -> str:
    """Run the demo in a home without a Git configuration, and return its output."""
    environment = {**os.environ, "HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "COLUMNS": "200", **variables}
    command = [sys.executable, "-m", "bench.demo"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_demo_runs_the_embedded_part_without_a_network(tmp_path: Path) -> None:
    offline = {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "HERMES_SDK_CACHE": str(tmp_path / "cache")}
    printed = run_demo(tmp_path, **offline)
    assert "team-notes/ with 22 files" in printed
    assert "no findings" in printed
    assert "33 passed" in printed
    assert "loaded: 1 tool, 1 hook, 1 slash command, 1 CLI command, 1 skill" in printed
    release = find_newest_release()
    assert f"Only the embedded half ran: hermes-agent {release} is not on this machine" in printed
    assert "Rerun the command with network access" in printed


@pytest.mark.slow
@pytest.mark.real_host
def test_demo_loads_the_plugin_in_the_real_hermes(tmp_path: Path, real_python: Callable[[str], Path]) -> None:
    real_python(find_newest_release())
    printed = run_demo(tmp_path)
    assert "the same, field by field" in printed
    assert "Both hosts saw the tool team_notes_add" in printed
