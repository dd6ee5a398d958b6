"""The project that `templates/plugin` makes: complete, well-formed for every name, and green from the start."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from hermes_sdk.scaffold.new import new

ROOT = Path(__file__).parents[2]
EXPECTED = """\
.github/workflows/test.yml
.gitignore
.hermes-sdk.base.zip
.hermes-sdk.toml
AGENTS.md
LICENSE
README.md
pyproject.toml
team_notes/__init__.py
team_notes/commands.py
team_notes/hooks.py
team_notes/notes.py
team_notes/plugin.yaml
team_notes/skills/taking-notes/SKILL.md
team_notes/tools.py
tests/test_commands.py
tests/test_contract.py
tests/test_hooks.py
tests/test_skills.py
tests/test_tools.py
"""

NAMES = {
    "Team Notes": {},
    "Z": {},
    "R2D2 3000": {},
    "snake_case-name": {},
    "A name of thirty-two characters.": {"plugin_slug": "a-name-of-thirty-two-characters1"},
    "Ada's C++ & Café": {
        "plugin_slug": "ada",
        "author": "Ada & Søren O'Neil",
        "description": "It's 100% {fun} # 😀: yes",
    },
    "Type": {},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new("plugin", tmp_path_factory.mktemp("plugin"), name="Team Notes")


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One project for each of NAMES."""
    output = tmp_path_factory.mktemp("names")
    return [new("plugin", output, name=name, extra=extra) for name, extra in NAMES.items()]


def files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())


def texts(directory: Path) -> list[Path]:
    return [path for path in files(directory) if path.suffix != ".zip"]


def run_in(directory: Path, *argv: str) -> None:
    """Run a Python module in a project, without the settings that this test run put into the environment."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))}
    done = subprocess.run(
        [sys.executable, "-m", *argv], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_project_has_the_files_that_the_documentation_names(project: Path) -> None:
    assert [path.relative_to(project).as_posix() for path in files(project)] == EXPECTED.split()


def test_nothing_is_left_unrendered(projects: list[Path]) -> None:
    # GitHub's own expressions look like ${{ … }}.
    code = re.compile(r"(?<!\$)\{\{|\{%|cookiecutter")
    for project in projects:
        for path in texts(project):
            assert not code.search(path.read_text(encoding="utf-8")), path


def test_what_hermes_and_python_read_is_well_formed_for_every_name(projects: list[Path]) -> None:
    for project in projects:
        module = project.name.replace("-", "_")
        manifest = yaml.safe_load((project / module / "plugin.yaml").read_text(encoding="utf-8"))
        assert (manifest["name"], manifest["version"], manifest["kind"]) == (project.name, "0.1.0", "standalone")
        settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
        assert settings["project"]["entry-points"] == {"hermes_agent.plugins": {project.name: module}}
        assert settings["project"]["description"] == manifest["description"]
        assert settings["project"]["authors"] == [{"name": manifest["author"]}]
        assert settings["tool"]["hermes-sdk"] == {"plugin": module, "check": {"target": ">=0.13.0"}}
        for path in project.rglob("*.py"):
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_the_style_is_clean_for_every_name(projects: list[Path]) -> None:
    run_in(projects[0].parent, "ruff", "check", "--no-cache", "--exit-non-zero-on-fix")
    run_in(projects[0].parent, "ruff", "format", "--no-cache", "--check")


def test_the_hook_of_the_template_is_clean_too() -> None:
    # It is Python before cookiecutter renders it, which is how `hermes-sdk new` can load it.
    run_in(
        ROOT,
        "ruff",
        "check",
        "--no-cache",
        "--isolated",
        "--ignore",
        "F821,E501",
        "templates/_hooks/pre_gen_project.py",
    )


def test_the_types_are_clean(project: Path) -> None:
    run_in(project, "mypy", "--cache-dir", str(ROOT / ".mypy_cache/generated-plugin"))


def test_its_own_tests_pass_on_the_embedded_host(project: Path) -> None:
    run_in(project, "pytest", "-q", "-p", "no:cacheprovider")


def test_the_workflow_gives_no_right_that_it_does_not_need(project: Path) -> None:
    workflow = yaml.safe_load((project / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    commands = [step.get("run") for job in workflow["jobs"].values() for step in job["steps"]]
    assert "pytest" in commands
    assert "pytest --hermes-host real" in commands


def test_the_actions_are_those_of_our_own_ci(project: Path) -> None:
    used = re.findall(r"uses: (.+)", (project / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    ours = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert used
    assert all(use in ours for use in used)
