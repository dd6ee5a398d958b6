"""Scenarios and recordings can refer only to files in their project, unless the user allows more."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import on_disk
import pytest

from hermes_sdk.cli.main import run as run_command
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.processes import process
from hermes_sdk.traces import play
from hermes_sdk.traces.boundary import Boundary, find_project

READS = """
import pathlib
def register(ctx):
    ctx.register_command("read", read)
def read(line):
    try:
        return pathlib.Path(line).read_text()
    except OSError as error:
        return type(error).__name__
"""
tmp_path = on_disk.tmp_path
SECRET = "the key of the user"

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command, and returns its exit code and error output."""

    def invoke(*argv: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            run_command([*map(str, argv)])
        return int(ended.value.code or 0), capsys.readouterr().err

    return invoke


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a home with a key, a plugin that reads files, and a project."""
    home = tmp_path / "user"
    write_plugin(home / ".hermes" / "plugins" / "installed")
    write_plugin(home / "project" / "plugin")
    (home / "project" / ".git").mkdir()
    (home / ".ssh").mkdir()
    (home / ".ssh" / "key").write_text(SECRET)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "300")
    return home


def write_plugin(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text(f"name: {folder.name}\nkind: standalone\n")
    (folder / "__init__.py").write_text(READS)


def write_scenario(folder: Path, **content: Any) -> Path:
    file = folder / "scenario.yaml"
    file.write_text(
        "\n".join(f"{key}: {json.dumps(value)}" for key, value in {"turns": ["/read x"], **content}.items())
    )
    return file


def reply(file: Path, **options: Any) -> str:
    trace = play(file, release="0.22.2", **options)
    assert trace.problems == ()
    return str(trace.events[-1]["returned"])


@pytest.mark.parametrize("way", ["a path", "a link", "a link of a link"])
def test_scenario_cannot_use_directory_outside_project(way: str, user: Path, run: Run) -> None:
    project, keys = user / "project", user / ".ssh"
    named = "../.ssh"
    if way != "a path":
        (project / "keys").symlink_to(keys)
        named = "keys"
    if way == "a link of a link":
        (project / "lib").symlink_to("keys")
        named = "lib"
    turns = [f"/read {keys}/key"]
    file = write_scenario(project, plugins=["plugin"], pythonpath=["plugin", named], turns=turns)
    status, told = run("trace", file)
    assert status == 2
    place = f"{file}:3:24: pythonpath.1 leads to {keys}, outside the project {project}"
    assert told == f"hermes-sdk: {place}\n  If you trust the file, run: hermes-sdk trace --allow-path {keys} {file}\n"
    assert SECRET in reply(file, allowed=[keys])
    if "landlock" in process.find_layers():
        write_scenario(project, plugins=["plugin"], pythonpath=["plugin"], turns=turns)
        assert reply(file) == "PermissionError"


def test_http_is_not_recorded_when_scenario_uses_paths_outside_project(user: Path, run: Run) -> None:
    project, keys = user / "project", user / ".ssh"
    file = write_scenario(project, plugins=["plugin"], pythonpath=["../.ssh"])
    record = ("record", "--scenario", file, "-o", project / "it.trace", "--allow-path", keys)
    status, told = run(*record, "--http")
    assert (status, "or drop --http" in told, "--allow-path" in told) == (2, True, False)
    assert not (project / "it.trace").exists()
    assert run(*record)[0] == 0
    write_scenario(project, plugins=["plugin"])
    assert run(*record, "--http")[0] == 0


def test_setting_of_project_cannot_name_plugin_of_other_project(user: Path) -> None:
    project, other = user / "project", user / ".hermes" / "plugins" / "installed"
    (project / "pyproject.toml").write_text(f'[tool.hermes-sdk]\nplugin = "{os.path.relpath(other, project)}"\n')
    file = write_scenario(project, plugins=["."])
    with pytest.raises(UsageError, match=f"the plugin is in {other}, which leads out of its project"):
        play(file, allowed=[other])
    write_scenario(project, plugins=[str(other)])
    assert play(file, allowed=[other]).problems == ()


def test_whole_project_of_allowed_plugin_must_be_allowed(user: Path) -> None:
    project = user / "elsewhere"
    write_plugin(project / "plugin")
    (project / "pyproject.toml").touch()
    (project / "notes").write_text(SECRET)
    turns = [f"/read {project}/notes"]
    file = write_scenario(user / "project", plugins=["../elsewhere/plugin"], turns=turns)
    with pytest.raises(UsageError, match=f"plugins.0 leads to {project}, outside") as caught:
        play(file, allowed=[project / "plugin"])
    assert caught.value.options == ["--allow-path", str(project)]
    assert reply(file, allowed=[project]) == SECRET


def test_scenario_in_plugin_belongs_to_project_of_plugin(user: Path) -> None:
    project = user / "project"
    (project / "pyproject.toml").touch()
    assert reply(write_scenario(project / "plugin", plugins=["."])) == "FileNotFoundError"


def test_recording_with_plugin_in_home_replays_when_allowed(user: Path, run: Run) -> None:
    project, plugin = user / "project", user / ".hermes" / "plugins" / "installed"
    file, trace = write_scenario(project, plugins=["../.hermes/plugins/installed"]), project / "it.trace"
    assert run("record", "--scenario", file, "-o", trace, "--allow-path", plugin)[0] == 0
    status, told = run("replay", trace)
    assert status == 2
    assert f"{trace}:1:1: plugins.0 leads to {plugin}, outside the project {project}\n" in told
    assert f"run: hermes-sdk replay --allow-path {plugin} {trace}\n" in told
    assert run("replay", trace, "--allow-path", plugin)[0] == 0
    # The generated test is for the project's own plugin, so it names no plugin.
    assert run("codegen", trace)[0] == 0


def test_generated_test_cannot_name_plugin_outside_project(user: Path, run: Run) -> None:
    project, plugin = user / "project", user / ".hermes" / "plugins" / "installed"
    file, trace = write_scenario(project, plugins=["plugin", "../.hermes/plugins/installed"]), project / "it.trace"
    assert run("record", "--scenario", file, "-o", trace, "--allow-path", plugin)[0] == 0
    status, told = run("codegen", trace)
    assert (status, f"run: hermes-sdk codegen --allow-path {plugin} {trace}" in told) == (2, True)
    assert run("codegen", trace, "--allow-path", plugin)[0] == 0


@pytest.mark.parametrize(
    ("marks", "file", "expected"),
    [
        ([], "user/project/a/b/s.yaml", "user/project/a/b"),
        (["user/project/.git"], "user/project/a/b/s.yaml", "user/project"),
        (["user/project/plugin.yml", "user/project/a/pyproject.toml"], "user/project/a/b/s.yaml", "user/project/a"),
        (["user/.git"], "user/project/a/b/s.yaml", "user/project/a/b"),
        (["user/.git"], "user/s.yaml", None),
        ([".git", "pyproject.toml"], "user/project/a/b/s.yaml", "user/project/a/b"),
        ([".git"], "other/s.yaml", "other"),
    ],
)
def test_project_never_contains_home(
    marks: list[str], file: str, expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for folder in ("user/project/a/b", "other"):
        (tmp_path / folder).mkdir(parents=True)
    for mark in marks:
        (tmp_path / mark).touch()
    assert find_project(tmp_path / file) == (tmp_path / expected if expected else None)


def test_scenario_in_home_has_no_project(user: Path) -> None:
    file = write_scenario(user, plugins=["project/plugin"])
    with pytest.raises(UsageError, match=r"outside the project \(none, because it would contain your home\)"):
        play(file)
    assert play(file, allowed=[user / "project"]).problems == ()


def test_parent_directories_in_paths_are_resolved_before_links(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "other" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "other" / "inner")
    write_plugin(tmp_path / "plugin")
    assert play(write_scenario(tmp_path, plugins=["link/../plugin"])).problems == ()
    assert Boundary.of(tmp_path / "s.yaml").admits(tmp_path / "link")
