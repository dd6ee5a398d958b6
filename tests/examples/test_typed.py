"""The example platforms pass a strict type check with our stubs and without Hermes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from examples.irc_plugin import plain_irc

STRICT = {"typeCheckingMode": "strict", "reportMissingModuleSource": False}


@pytest.mark.slow
@pytest.mark.parametrize("example", [plain_irc(), Path(__file__).parent / "pigeon"], ids=lambda one: one.name)
@pytest.mark.parametrize(
    "checker",
    [("mypy", "--config-file=", "--strict"), ("pyright", "--pythonpath", sys.executable)],
    ids=lambda one: one[0],
)
def test_example_is_strictly_typed(checker: tuple[str, ...], example: Path, tmp_path: Path):
    name = example.name
    shutil.copytree(example, tmp_path / name)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(STRICT))
    command = [sys.executable, "-m", *checker, name]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
