"""The Nix linker and `hermes-sdk plugins` change one home at the same time without losing a change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from hermes_sdk.home import Home

LINKER = Path(__file__).parents[2] / "nix" / "tools" / "link.py"
ENABLE = """
import sys; from pathlib import Path; from hermes_sdk.home import Home
for name in sys.argv[2:]:
    Home(Path(sys.argv[1])).enable(name)
"""


def make_set(path: Path, *names: str) -> Path:
    path.mkdir()
    plan = {
        "places": {f"nix-managed-{name}": name for name in names},
        "directories": [],
        "config": {"plugins": {"enabled": list(names)}},
    }
    (path / "plan.json").write_text(json.dumps(plan))
    return path


def test_concurrent_enable_and_switch_lose_no_change(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    sets = [make_set(tmp_path / "one", "alpha"), make_set(tmp_path / "two", "alpha", "beta")]
    names = [f"mine-{number}" for number in range(24)]
    environment = {key: value for key, value in os.environ.items() if key != "HERMES_MANAGED"}
    environment["HERMES_SDK_CACHE"] = str(tmp_path / "cache")
    commands = [[sys.executable, "-c", ENABLE, home, *names[start::3]] for start in range(3)]
    commands += [[sys.executable, LINKER, "--home", home, "--set", sets[turn % 2]] for turn in range(8)]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command in commands
    ]
    errors = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * len(running), errors
    assert {"alpha", *names} <= set(Home(home).enabled)
    assert not [path.name for path in home.iterdir() if path.suffix == ".tmp"]
