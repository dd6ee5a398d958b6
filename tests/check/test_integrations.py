"""The GitHub action and the pre-commit hooks run the check."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def act(tmp_path, plugin):
    """Return a function that runs the check step of the action as a GitHub runner does."""
    command = tmp_path / "hermes-sdk" / "bin" / "hermes-sdk"
    command.parent.mkdir(parents=True)
    run = f'#!/bin/sh\nexec {sys.executable} -c "from hermes_sdk.cli.main import run; run()" "$@"\n'
    command.write_text(run, encoding="utf-8")
    command.chmod(0o755)

    def run_step(files: dict[str, str], **inputs: str) -> subprocess.CompletedProcess[str]:
        step = ACTION["runs"]["steps"][1]
        values = {name: str(entry["default"]) for name, entry in ACTION["inputs"].items()} | inputs
        environment = {
            name: values[text.partition("inputs.")[2].removesuffix(" }}")] for name, text in step["env"].items()
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=plugin(files),
            env={**os.environ, **environment, "RUNNER_TEMP": str(tmp_path)},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run_step


def test_action_passes_a_plugin_without_findings(act):
    done = act({})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_action_annotates_and_writes_sarif(act, tmp_path):
    sarif = tmp_path / "out put.sarif"
    done = act({"__init__.py": "def (:\n"}, sarif=str(sarif), target=">=0.19")
    assert done.returncode == 1
    assert "::error file=__init__.py,line=1," in done.stdout
    assert json.loads(sarif.read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_action_forwards_its_inputs(act):
    warned = {"plugin.yaml": "name: A B\nkind: standalone\nversion: '1'\ndescription: x\n"}
    assert act(warned).returncode == 0
    assert act(warned, strict="true").returncode == 1
    assert "::notice title=HS681 needs your confirmation" in act({}, profile="catalog").stdout


def test_action_input_is_not_run_as_a_command(act, tmp_path):
    done = act({}, path=f"; touch {tmp_path / 'made'}", target="$(touch made)")
    assert done.returncode == 2
    assert not (tmp_path / "made").exists()
    assert "Traceback" not in done.stderr


def test_action_failure_before_the_check_is_not_a_finding(act, tmp_path):
    assert act({}, sarif=str(tmp_path / "x.sarif"), path="nowhere").returncode == 2


@pytest.mark.parametrize("number", [0, 1])
def test_pre_commit_hooks_run(plugin, number):
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[number]
    program, *arguments = shlex.split(hook["entry"])
    assert program == "hermes-sdk"
    code = "from hermes_sdk.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=plugin({"__init__.py": "def (:\n"}), check=False
    )
    assert done.returncode == 1
