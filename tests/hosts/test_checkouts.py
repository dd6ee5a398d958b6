"""Real hosts from a repository that cannot be built as a wheel, like upstream's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_sdk import installer
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts.environments import environment

BACKEND = """
import pathlib, zipfile

def build_wheel(*_):
    raise RuntimeError("Building wheels of hermes-agent is not supported")

def build_editable(directory, *_):
    name = "hermes_agent-{version}-py3-none-any.whl"
    info = "hermes_agent-{version}.dist-info/"
    with zipfile.ZipFile(pathlib.Path(directory, name), "w") as wheel:
        wheel.writestr("hermes_agent.pth", str(pathlib.Path.cwd()))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: hermes-agent\\nVersion: {version}\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\\nhermes = hermes_fact:main\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Create a repository with the tags ``v1`` and ``v2``, and an empty cache."""
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "upstream"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for version in ("1", "2"):
        (folder / "pyproject.toml").write_text(PROJECT)
        (folder / "backend.py").write_text(BACKEND.replace("{version}", version))
        (folder / "hermes_fact.py").write_text(f"VERSION = {version}\ndef main(): print(VERSION)\n")
        git(folder, "add", ".")
        git(folder, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", version)
        git(folder, "tag", f"v{version}")
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


def version_in(python: Path) -> str:
    program = "import hermes_fact; print(hermes_fact.VERSION)"
    return subprocess.run([python, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_tags_and_branches_are_installed_from_checkouts(repository):
    assert version_in(environment(f"git:{repository}@v1").python) == "1"
    assert version_in(environment(f"git:file://{repository}@HEAD").python) == "2"


def test_installed_tag_does_not_need_repository(repository):
    made = environment(f"git:{repository}@v1")
    shutil.rmtree(repository)
    assert environment(f"git:{repository}@v1") == made
    assert version_in(made.python) == "1"


@pytest.mark.parametrize("uv", [installer.find_uv(), None])
def test_program_of_environment_starts(repository, uv, monkeypatch):
    monkeypatch.setattr("hermes_sdk.installer.find_uv", lambda: uv)
    program = environment(f"git:{repository}@v1").python.with_name("hermes")
    assert subprocess.run([program], check=True, capture_output=True, text=True).stdout == "1\n"


def test_changed_branch_is_installed_again(repository):
    git(repository, "branch", "line", "v1")
    before = environment(f"git:{repository}@line")
    git(repository, "branch", "--force", "line", "v2")
    assert version_in(environment(f"git:{repository}@line").python) == "2"
    assert version_in(before.python) == "1"


def test_release_comes_from_source_in_user_table(repository, tmp_path, monkeypatch):
    table = tmp_path / "sources.toml"
    table.write_text(f'[repository]\naddress = "{repository}"\n[tag]\n"0.22.2" = "v1"\n')
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(table))
    assert version_in(environment("0.22.2").python) == "1"


def test_error_names_unreadable_table(tmp_path, monkeypatch):
    table = tmp_path / "sources.toml"
    table.write_text("[tag\n")
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(table))
    with pytest.raises(UsageError, match="HERMES_SDK_SOURCES") as caught:
        environment("0.22.2")
    assert caught.value.where == str(table)


@pytest.mark.parametrize("revision", ["v3", "0" * 40])
def test_error_names_unknown_revision(repository, revision):
    with pytest.raises(UnavailableError) as caught:
        environment(f"git:{repository}@{revision}")
    assert revision in caught.value.message
    assert not list((repository.parent / "cache").glob("environments/git-*"))
