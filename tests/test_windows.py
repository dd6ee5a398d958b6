"""On Windows, commands that need no host work, and the others fail with one message."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SIMULATOR = Path(__file__).with_name("without_posix.py")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SIMULATOR, *words],
        cwd=folder,
        # Other pytest plugins may read sys.platform.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_project_is_created_and_checked_statically(tmp_path) -> None:
    made = run(tmp_path, "hermes-sdk", "new", "plugin", "--name", "Notes", "--no-input")
    assert (made.returncode, made.stderr) == (0, "")
    assert {"plugin.yaml", "__init__.py"} <= {path.name for path in tmp_path.rglob("*")}
    checked = run(tmp_path, "hermes-sdk", "check", "--static", "notes")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("✓ No problems found in notes")


@pytest.mark.parametrize(
    "words", [["explain", "HS101"], ["schema"], ["contract", "diff", "0.19.0", "0.22.2"], ["docs", "kwargs"]]
)
def test_commands_without_a_plugin_work(tmp_path, words) -> None:
    ran = run(tmp_path, "hermes-sdk", *words)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout


@pytest.mark.parametrize("words", [["show", "."], ["check", "."], ["plugins", "list"], ["dev", "."]])
def test_commands_that_need_a_host_fail_with_one_message(tmp_path, words) -> None:
    ran = run(tmp_path, "hermes-sdk", *words)
    assert ran.returncode == 3
    assert ran.stderr.startswith(f"hermes-sdk: `hermes-sdk {words[0]}`")
    assert "needs Linux or macOS\n  On Windows, use WSL" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_tests_without_a_host_run_and_fixtures_explain_their_failure(tmp_path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from hermes_sdk.testing import Host\n"
        "def test_plain(): pass\n"
        "def test_with_a_host(hermes: Host): pass\n"
        "def test_with_a_gateway(hermes_gateway): pass\n",
        encoding="utf-8",
    )
    ran = run(tmp_path, "pytest", "-q", "-p", "hermes_sdk_pytest", "-p", "no:cacheprovider")
    assert "1 passed, 2 errors" in ran.stdout, ran.stdout + ran.stderr
    assert ran.stdout.count("the embedded host needs Linux or macOS") >= 2
    assert "Traceback" not in ran.stdout
