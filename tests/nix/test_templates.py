"""Flakes of generated projects build the plugin with the library of this project."""

import json
from pathlib import Path

import pytest
from nix.running import Nix, flakes

from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates, variables

KINDS = [kind for kind in templates() if "nix" in variables(kind).names]


@pytest.fixture(scope="module")
def inputs(nix: Nix, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return this project and the stand-in for nixpkgs as flake inputs."""
    return flakes(nix, tmp_path_factory.mktemp("inputs"))


@pytest.mark.parametrize("kind", ["plugin", *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS[1:])])
def test_flake_of_project_builds_the_plugin(kind: str, nix: Nix, inputs: tuple[str, str], tmp_path: Path) -> None:
    project = new(kind, tmp_path, name="Team Notes", extra={"nix": "yes"})
    overrides = ["--override-input", "hermes-sdk", inputs[0], "--override-input", "hermes-sdk/nixpkgs", inputs[1]]
    options = ["--json", "--no-link", "--no-write-lock-file"]
    done = nix.run("nix", "build", f"path:{project}", *options, *overrides, check=False)
    assert done.returncode == 0, done.stderr
    built = Path(json.loads(done.stdout)[0]["outputs"]["out"])
    if kind == "workspace":
        assert (built / "bin/hermes-plugins-link").is_file()
    else:
        assert (built / "plugin.yaml").read_text() == (project / "team_notes/plugin.yaml").read_text()
        assert not (built / "tests").exists()
