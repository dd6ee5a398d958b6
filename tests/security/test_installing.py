"""Installing and updating run no code of the plugin."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from operate.conftest import Repository, git, write
from operate.tools import Ours

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate.install import install, remove, source_of
from hermes_sdk.operate.updates import update

PLUGIN = {"plugin.yaml": "name: demo\n", "__init__.py": "def register(ctx): pass\n"}


def hostile_repository(marker: Path, folder: str = "repo") -> dict[str, str]:
    """Return the files of a repository whose configuration runs a command in nearly every possible way."""
    run = f"echo $SECRET_TOKEN > {marker}; false"
    config = f"""
[core]
    repositoryformatversion = 0
    bare = false
    fsmonitor = "{run}"
    sshCommand = "{run}"
    pager = "{run}"
[remote "origin"]
    url = /
    uploadpack = "{run}; git-upload-pack"
    fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
    remote = origin
    merge = refs/heads/main
[filter "x"]
    clean = "{run}"
    smudge = "{run}"
    process = "{run}"
"""
    commit = "0123456789abcdef0123456789abcdef01234567"
    return {
        f"{folder}/HEAD": "ref: refs/heads/main\n",
        f"{folder}/config": config,
        f"{folder}/refs/heads/main": commit + "\n",
        f"{folder}/refs/keep": "",
        f"{folder}/objects/keep": "",
    }


def attempt(home: Home, source: str) -> None:
    """Install and update a plugin; either may fail."""
    try:
        name = install(home, source_of(source)).directory.name
        update(home, name)
    except HermesSdkError:
        pass


@pytest.mark.parametrize("name", [".git.example", ".GIT.example", ".g\u200cit.example"])
def test_repository_created_from_an_example_is_rejected(
    home: Home, repository: Repository, marker: Path, name: str
) -> None:
    files = {**PLUGIN, name: "gitdir: repo\n", **hostile_repository(marker)}
    url = repository("project", {f"demo/{file}": text for file, text in files.items()})
    attempt(home, f"{url}#demo")
    assert not marker.exists()
    with pytest.raises(UsageError, match="contains a Git repository"):
        install(home, source_of(f"{url}#demo"))
    assert not (home.plugins_dir / "demo").exists()


@pytest.mark.parametrize("folder", [".GIT", ".Git/modules", "vendor/.GIT", "git~1", ".git ", ".git."])
def test_repository_in_a_wheel_is_rejected(home: Home, tmp_path: Path, marker: Path, folder: str) -> None:
    wheel = make_wheel(tmp_path, {**PLUGIN, **hostile_repository(marker, folder)})
    with pytest.raises(UsageError, match="contains a Git repository"):
        install(home, wheel)
    assert list(home.plugins_dir.iterdir()) == []


def test_git_directories_of_a_local_directory_are_not_copied(home: Home, tmp_path: Path, marker: Path) -> None:
    files = {**PLUGIN, **hostile_repository(marker, ".git"), **hostile_repository(marker, "vendor/.git")}
    directory = install(home, write(tmp_path / "demo", files)).directory
    assert sorted(path.name for path in directory.rglob("*")) == ["__init__.py", "plugin.yaml", "vendor"]


def make_wheel(folder: Path, files: Mapping[str, str]) -> Path:
    wheel = folder / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"demo/{name}", text)
    return wheel


def test_update_runs_no_command_of_the_repository_configuration(
    home: Home, marker: Path, repository: Repository
) -> None:
    url = repository("demo", PLUGIN)
    directory = install(home, source_of(url)).directory
    hostile = hostile_repository(marker, ".git")
    hostile[".git/config"] = hostile[".git/config"].replace("url = /", f"url = {url}")
    hostile[".gitattributes"] = "* filter=x\n"
    del hostile[".git/refs/heads/main"], hostile[".git/HEAD"]
    write(directory, hostile)
    write(directory, {".git/hooks/post-merge": f"#!/bin/sh\necho > {marker}\n"}).joinpath(
        ".git/hooks/post-merge"
    ).chmod(0o755)
    repository("demo", {"more.py": "1\n", ".gitattributes": "* filter=x\n"})
    (directory / ".gitattributes").unlink()
    assert update(home, "demo").changed
    assert not marker.exists()
    assert (directory / "more.py").read_text() == "1\n"
    assert "uploadpack" not in (directory / ".git" / "config").read_text()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_update_rejects_repository_in_another_directory(
    home: Home, marker: Path, repository: Repository, tmp_path: Path, kind: str
) -> None:
    directory = install(home, source_of(repository("demo", PLUGIN))).directory
    write(directory, hostile_repository(marker))
    (directory / ".git").rename(tmp_path / "elsewhere")
    if kind == "file":
        (directory / ".git").write_text("gitdir: repo\n")
    else:
        (directory / ".git").symlink_to("repo")
    with pytest.raises(UsageError, match="repository"):
        update(home, "demo")
    assert not marker.exists()


@pytest.mark.parametrize("address", ["ext::sh -c 'echo > {}'", "--upload-pack=echo > {}", "-u{}"])
def test_update_runs_no_command_from_the_remote_address(
    home: Home, marker: Path, repository: Repository, address: str
) -> None:
    directory = install(home, source_of(repository("demo", PLUGIN))).directory
    git(directory, "config", "remote.origin.url", address.format(marker))
    with pytest.raises(HermesSdkError):
        update(home, "demo")
    assert not marker.exists()


def test_user_configuration_of_git_is_ignored(
    home: Home, marker: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = repository("demo", {**PLUGIN, ".gitattributes": "* filter=x\n"})
    run = f"echo > {marker}; cat"
    write(Path.home(), {".gitconfig": f'[filter "x"]\n    smudge = "{run}"\n[core]\n    fsmonitor = "{run}"\n'})
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "filter.x.smudge")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", run)
    directory = install(home, source_of(url)).directory
    repository("demo", {"more.py": ""})
    assert update(home, "demo").changed
    assert (directory / "more.py").exists()
    assert not marker.exists()


def test_file_created_from_an_example_does_not_replace_the_clone(home: Home, repository: Repository) -> None:
    directory = install(home, source_of(repository("demo", {**PLUGIN, "a.yaml.example": "a: 1\n"}))).directory
    (directory / "a.yaml").unlink()
    done = update(home, "demo")
    assert (done.changed, done.examples) == (False, ("a.yaml",))
    assert git(directory, "status", "--porcelain", "--branch") == "## main...origin/main\n?? a.yaml"


def test_update_keeps_local_branches(home: Home, repository: Repository) -> None:
    directory = install(home, source_of(repository("demo", PLUGIN))).directory
    git(directory, "branch", "mine")
    repository("demo", {"more.py": ""})
    with pytest.raises(UsageError, match="mine"):
        update(home, "demo")
    assert git(directory, "rev-parse", "mine")
    git(directory, "branch", "--delete", "mine")
    assert update(home, "demo").changed
    assert git(directory, "status", "--porcelain", "--branch") == "## main...origin/main"


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".hidden", "CON", "nul.txt", "Lpt1", "__pycache__", "git~1", "demo.", "demo ", " demo"]
)
def test_hidden_or_reserved_name_is_rejected(
    home: Home, ours: Ours, repository: Repository, tmp_path: Path, name: str
) -> None:
    url = repository("project", {**PLUGIN, "plugin.yaml": f"name: {name!r}\n"})
    done = ours(home.path, "install", url)
    assert done.exit_code == 2
    assert "Invalid plugin name" in done.output
    done = ours(home.path, "install", "--link", str(tmp_path / "repositories" / "project"))
    assert "Invalid plugin name" in done.output
    assert list(home.plugins_dir.iterdir()) == []


@pytest.mark.parametrize(
    ("there", "new"), [("demo", "Demo"), ("stra\u00dfe", "strasse"), ("caf\u00e9", "cafe\u0301"), ("demo", "\uff44emo")]
)
def test_name_that_differs_only_in_case_or_normalisation_is_rejected(
    home: Home, tmp_path: Path, there: str, new: str
) -> None:
    old = write(tmp_path / "old", {**PLUGIN, "plugin.yaml": f"name: {there}\n"})
    install(home, old)
    source = write(tmp_path / "new", {**PLUGIN, "plugin.yaml": f"name: {new}\n"})
    with pytest.raises(UsageError, match=f"{there}"):
        install(home, source, force=True)
    assert [path.name for path in home.plugins_dir.iterdir()] == [there]
    install(home, old, force=True)


@pytest.mark.parametrize("fragment", [".git", ".git/hooks", "link", "demo/.GIT"])
def test_subdirectory_in_git_directory_is_rejected(
    home: Home, repository: Repository, tmp_path: Path, fragment
) -> None:
    directory = tmp_path / "repositories" / "project"
    directory.mkdir(parents=True)
    git(directory, "init", "--quiet", "--initial-branch=main")
    (directory / "link").symlink_to(".git")
    url = repository("project", {"demo/plugin.yaml": "name: demo\n"})
    with pytest.raises(UsageError, match=r"Plugin subdirectory|leads"):
        install(home, source_of(f"{url}#{fragment}"))
    assert list(home.plugins_dir.iterdir()) == []


def test_plugin_with_reserved_name_can_be_removed(home: Home) -> None:
    write(home.plugins_dir / ".git", PLUGIN)
    assert remove(home, ".git") == home.plugins_dir / ".git"
    assert list(home.plugins_dir.iterdir()) == []
