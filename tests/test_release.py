"""Checks before a release: interface, changelog, files and workflows."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import hermes_sdk

ROOT = Path(__file__).parents[1]
BIN = ROOT / ".venv/bin"
WORKFLOWS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")}


def find_removal_release(text: str) -> tuple[int, ...] | None:
    """Return the release in which a deprecation warning announces the removal, as numbers, or None."""
    found = re.search(r"\bgoes in hermes-sdk (\d+)\.(\d+); use \S", text)
    return found and (int(found[1]), int(found[2]))


def find_warnings(source: str) -> list[str]:
    """Return the texts of the deprecation warnings in a source."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    warnings = [call for call in calls if any(ast.unparse(one) == "DeprecationWarning" for one in call.args)]
    return [ast.unparse(call.args[0]) for call in warnings]


def clone(place: Path) -> Path:
    """Clone this repository, with a link to its environment."""
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(place)], check=True)
    (place / ".venv").symlink_to(ROOT / ".venv")
    return place


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("Host.ask goes in hermes-sdk 0.4; use Host.chat", (0, 4)),
        ("Host.ask goes away", None),
        ("Host.ask goes in hermes-sdk 0.4", None),
    ],
)
def test_deprecation_warning_names_release_and_replacement(text, release) -> None:
    (found,) = find_warnings(f"import warnings\nwarnings.warn({text!r}, DeprecationWarning, stacklevel=2)")
    assert find_removal_release(found) == release


def test_deprecated_names_are_removed_in_the_announced_release() -> None:
    now = tuple(map(int, hermes_sdk.__version__.split(".")[:2]))
    for path in sorted((ROOT / "hermes_sdk").rglob("*.py")):
        for text in find_warnings(path.read_text(encoding="utf-8")):
            goes = find_removal_release(text)
            assert goes, f"{path}: {text}"
            assert goes > now, f"{path}: {text}"


@pytest.mark.parametrize("kind", ["added", "changed", "deprecated", "removed", "fixed", "security"])
def test_fragment_is_added_to_the_changelog(kind: str, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / f"changelog.d/+lamp.{kind}.md").write_text("The lamp has a switch.\n", encoding="utf-8")
    build = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.9"]
    subprocess.run(build, cwd=tmp_path, capture_output=True, check=True)
    changelog = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    entry = changelog[changelog.index("## [9.9] - ") : changelog.index(f"## [{hermes_sdk.__version__}]")]
    assert f"### {kind.title()}\n\n- The lamp has a switch." in entry


def test_fragments_are_named_after_a_kind() -> None:
    for fragment in (ROOT / "changelog.d").glob("*.md"):
        assert re.fullmatch(r".+\.(added|changed|deprecated|removed|fixed|security)\.md", fragment.name), fragment.name


def test_changelog_has_an_entry_for_the_version() -> None:
    assert f"\n## [{hermes_sdk.__version__}] - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_workflows_have_no_permissions_and_a_timeout() -> None:
    for name, text in WORKFLOWS.items():
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {}, name
        assert all("timeout-minutes" in job for job in workflow["jobs"].values()), name


def test_nightly_workflow_tests_the_first_steps_on_two_python_versions() -> None:
    job = yaml.safe_load(WORKFLOWS["nightly"])["jobs"]["first-steps"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.13"]
    (command,) = (step["run"] for step in job["steps"] if "tests" in step.get("run", ""))
    (path,) = re.findall(r"tests/\S+\.py", command)
    assert (ROOT / path).exists()
    assert "-m 'slow or not slow'" in command


def test_release_workflow_needs_no_secret() -> None:
    release = yaml.safe_load(WORKFLOWS["release"])
    assert "secrets." not in WORKFLOWS["release"]
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert release["jobs"]["publish"]["needs"] == "build"
    assert {"run": ".ci/run"} in release["jobs"]["build"]["steps"]


@pytest.mark.slow
def test_breaking_change_of_the_interface_is_reported(tmp_path: Path) -> None:
    place = clone(tmp_path / "clone")
    base = place / "hermes_sdk/hosts/interface/host.py"
    text = base.read_text(encoding="utf-8")
    gate = [str(place / ".ci/api-break")]
    environment = {**os.environ, "BASE": "HEAD"}

    kept = subprocess.run(gate, env=environment, capture_output=True, text=True, check=False)
    base.write_text(
        text.replace("def command(self, line: str)", "def command(self, line: str, why: str)"), encoding="utf-8"
    )
    broken = subprocess.run(gate, env=environment, capture_output=True, text=True, check=False)

    assert kept.returncode == 0, kept.stderr
    assert broken.returncode == 1
    assert "command(why)" in broken.stdout + broken.stderr


@pytest.mark.slow
def test_distribution_passes_its_checks_and_lists_requirements(tmp_path: Path) -> None:
    place = clone(tmp_path / "clone")
    make = ["make", "-o", ".venv/.ready", "dist"]
    done = subprocess.run(make, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.suffix for path in (place / "dist").glob("h*")) == [".gz", ".whl"]
    components = json.loads((place / "build/sbom.cdx.json").read_text(encoding="utf-8"))
    needed = {component["name"].lower() for component in components["components"]}
    assert {"click", "cookiecutter", "pyyaml", "rich"} <= needed
    assert "pytest" not in needed
