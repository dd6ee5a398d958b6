"""Installation of plugins from repositories, directories and wheels."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from operate.conftest import Repository, git, write
from operate.tools import tree

from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate import git as git_calls
from hermes_sdk.operate.install import install, remove, source_of
from hermes_sdk.operate.updates import update

DEMO = {"plugin.yaml": "name: demo\n", "__init__.py": "def register(ctx): pass\n"}


def is_untouched(home: Home) -> bool:
    """Return whether a home has no plugin and no temporary files."""
    left = [path for path in home.path.iterdir() if path.name not in ("plugins", ".hermes-sdk.lock")]
    return not left and not list(home.plugins_dir.iterdir())


def test_branch_tag_or_commit_is_installed(home: Home, repository: Repository, tmp_path: Path) -> None:
    url = repository("demo", DEMO)
    directory = tmp_path / "repositories" / "demo"
    first = git(directory, "rev-parse", "HEAD")
    git(directory, "tag", "v1")
    git(directory, "branch", "old")
    repository("demo", {"new.txt": ""})
    for ref, is_new in (
        (first, False),
        (first.upper(), False),
        ("v1", False),
        ("old", False),
        ("main", True),
        ("", True),
    ):
        installed = install(home, source_of(url), ref=ref, force=True)
        assert (installed.directory / "new.txt").exists() is is_new
    assert update(home, "demo").changed is False


@pytest.mark.parametrize(
    ("more", "release", "refusal"),
    [
        ("manifest_version: 2\n", "0.21.3", "requires manifest_version 2"),
        ("manifest_version: 2\n", "0.21.4", None),
        ("manifest_version: 3\n", "0.22.2", "requires manifest_version 3"),
        ("requires_hermes: '>=99'\n", "0.21.5", None),
        ("requires_hermes: '>=99'\n", "0.22.2", r"requires Hermes >=99, but the target release is 0\.22\.2"),
        ("requires_hermes: '>=0.20'\n", "0.22.2", None),
    ],
)
def test_installer_of_release_checks_the_manifest(
    home: Home, tmp_path: Path, more: str, release: str, refusal: str | None
) -> None:
    write(tmp_path / "demo", {**DEMO, "plugin.yaml": f"name: demo\n{more}"})
    if refusal is None:
        assert install(home, tmp_path / "demo", release=release).directory.is_dir()
        return
    with pytest.raises(UsageError, match=refusal):
        install(home, tmp_path / "demo", release=release)
    assert is_untouched(home)


@pytest.mark.parametrize("ref", ["v1", "sha"])
def test_pinned_plugin_is_not_updated(home: Home, repository: Repository, tmp_path: Path, ref: str) -> None:
    url = repository("demo", DEMO)
    git(tmp_path / "repositories" / "demo", "tag", "v1")
    sha = git(tmp_path / "repositories" / "demo", "rev-parse", "HEAD")
    install(home, source_of(url), ref=sha if ref == "sha" else ref)
    with pytest.raises(UsageError, match=f"pinned to {sha}"):
        update(home, "demo")


@pytest.mark.parametrize("ref", ["missing", "0" * 40, "--upload-pack=touch /tmp/x", "abc1234"])
def test_unknown_ref_is_rejected(home: Home, repository: Repository, ref: str) -> None:
    with pytest.raises(UnavailableError, match="git"):
        install(home, source_of(repository("demo", DEMO)), ref=ref)
    assert is_untouched(home)


def test_update_adds_new_files_and_keeps_local_ones(home: Home, repository: Repository) -> None:
    installed = install(home, source_of(repository("demo", {**DEMO, "a.conf.example": "1"})))
    (installed.directory / "a.conf").write_text("mine")
    repository("demo", {"b.conf.example": "2", "__init__.py": "new = 1\n"})
    updated = update(home, "demo")
    assert (updated.changed, updated.examples) == (True, ("b.conf",))
    assert (installed.directory / "a.conf").read_text() == "mine"
    assert (installed.directory / "__init__.py").read_text() == "new = 1\n"


def test_failed_update_changes_nothing(home: Home, repository: Repository) -> None:
    installed = install(home, source_of(repository("demo", DEMO)))
    (installed.directory / "__init__.py").write_text("mine = 1\n")
    before = tree(home.plugins_dir)
    repository("demo", {"__init__.py": "theirs = 1\n"})
    with pytest.raises(UnavailableError, match="overwritten"):
        update(home, "demo")
    assert tree(home.plugins_dir) == before


def test_update_ignores_repository_that_contains_the_home(home: Home) -> None:
    git(home.path, "init", "--quiet")
    write(home.plugins_dir / "demo", {**DEMO, ".git/HEAD": "broken"})
    with pytest.raises(UsageError, match="incomplete"):
        update(home, "demo")


def test_existing_plugin_is_replaced_only_with_force(home: Home, repository: Repository) -> None:
    url = repository("demo", DEMO)
    installed = install(home, source_of(url))
    (installed.directory / "local.txt").touch()
    with pytest.raises(UsageError, match="already exists"):
        install(home, source_of(url))
    assert (installed.directory / "local.txt").exists()
    install(home, source_of(url), force=True)
    assert not (installed.directory / "local.txt").exists()
    assert sorted(path.name for path in home.path.iterdir()) == [".hermes-sdk.lock", "plugins"]


def test_force_does_not_replace_a_directory_that_contains_other_plugins(home: Home, repository: Repository) -> None:
    write(home.plugins_dir / "demo" / "other", DEMO)
    with pytest.raises(UsageError, match="contains other plugins"):
        install(home, source_of(repository("demo", DEMO)), force=True)


def test_plugin_of_local_project_is_installed(home: Home, tmp_path: Path) -> None:
    write(tmp_path / "project" / "src" / "demo", {**DEMO, "a.conf.example": "1"})
    write(tmp_path / "project", {"README.md": "", ".git/config": "", "src/demo/__pycache__/x.pyc": ""})
    write(tmp_path / "project" / "src" / "demo" / ".venv", {"pyvenv.cfg": ""})
    (tmp_path / "project" / "src" / "demo" / ".venv" / "python").symlink_to(sys.executable)
    installed = install(home, tmp_path / "project")
    assert installed.directory == home.plugins_dir / "demo"
    assert sorted(path.name for path in installed.directory.iterdir()) == [
        "__init__.py", "a.conf", "a.conf.example", "plugin.yaml",
    ]  # fmt: skip


def test_project_that_contains_the_home_is_installed(tmp_path: Path) -> None:
    project = write(tmp_path / "demo", DEMO)
    installed = install(Home(project / ".hermes"), project)
    assert tree(installed.directory).keys() == DEMO.keys()
    assert (project / ".hermes").stat().st_mode & 0o777 == 0o700


def make_wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_wheel_is_installed(home: Home, tmp_path: Path) -> None:
    files = {f"demo_plugin/{name}": text for name, text in DEMO.items()}
    wheel = make_wheel(tmp_path / "d-1-py3-none-any.whl", {**files, "d-1.dist-info/METADATA": "Name: d\n"})
    assert sorted(path.name for path in install(home, wheel).directory.iterdir()) == ["__init__.py", "plugin.yaml"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../evil/plugin.yaml": "name: x\n"}, "a path outside"),
        ({"/evil/plugin.yaml": "name: x\n"}, "a path outside"),
        ({"x\\..\\y": "", "p/plugin.yaml": ""}, "a path outside"),
        ({"module.py": ""}, "no plugin.yaml"),
        ({"a/plugin.yaml": "name: a\n", "b/plugin.yaml": "name: b\n"}, "more than one"),
    ],
)
def test_wheel_without_a_single_plugin_is_rejected(
    home: Home, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        install(home, make_wheel(tmp_path / "x.whl", files))
    assert is_untouched(home)


def test_wheel_that_is_not_an_archive_is_rejected(home: Home, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a wheel"):
        install(home, write(tmp_path, {"x.whl": "text"}) / "x.whl")


def test_ref_is_rejected_for_a_directory(home: Home, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only to Git repositories"):
        install(home, write(tmp_path / "demo", DEMO), ref="main")


HOSTILE_NAMES = ["../evil", "..", ".", "a/b", "a\\\\b", "\\e[31mred", "a\\nb", "x" * 300, "\\0", "{}"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_invalid_plugin_name_is_rejected(home: Home, tmp_path: Path, name: str) -> None:
    manifest = f'name: "{name}"\n' if name != "{}" else "name: {}\n"
    source = write(tmp_path / "outside" / "x", {"plugin.yaml": manifest, "__init__.py": ""})
    before = tree(tmp_path / "outside")
    if name == "{}":
        assert install(home, source).name == "x"
        return
    with pytest.raises(UsageError, match="Invalid plugin name"):
        install(home, source)
    assert is_untouched(home)
    assert tree(tmp_path / "outside") == before


@pytest.mark.parametrize("target", ["/etc/passwd", "../../user", "sub/../../other", "../missing"])
def test_link_out_of_the_plugin_is_rejected(home: Home, tmp_path: Path, repository: Repository, target: str) -> None:
    url = repository("demo", DEMO)
    (tmp_path / "repositories" / "demo" / "link").symlink_to(target)
    repository("demo", {})
    for source in (source_of(url), tmp_path / "repositories" / "demo"):
        with pytest.raises(UsageError, match="a link to a path outside the plugin"):
            install(home, source)
    assert is_untouched(home)


def test_link_within_the_plugin_is_kept(home: Home, tmp_path: Path) -> None:
    source = write(tmp_path / "demo", DEMO)
    (source / "link").symlink_to("plugin.yaml")
    assert (install(home, source).directory / "link").readlink() == Path("plugin.yaml")


def test_pipe_and_socket_are_rejected(home: Home, tmp_path: Path) -> None:
    os.mkfifo(write(tmp_path / "pipe", DEMO) / "x")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(write(tmp_path / "socket", DEMO) / "x"))
    for name in ("pipe", "socket"):
        with pytest.raises(UsageError, match="neither a file nor a directory"):
            install(home, tmp_path / name)
    assert is_untouched(home)


@pytest.mark.parametrize("name", ["", "/", ".", "..", "../home", "a/b/c", "a/../..", "missing", "a\\b"])
def test_remove_rejects_invalid_name(home: Home, name: str) -> None:
    write(home.plugins_dir / "cat" / "leaf", DEMO)
    before = tree(home.plugins_dir)
    with pytest.raises(UsageError):
        remove(home, name)
    assert tree(home.plugins_dir) == before


def test_hostile_repository_runs_no_code(home: Home, repository: Repository, tmp_path: Path) -> None:
    """Check hooks, filters, setup scripts and submodules of the repository and of the user's templates."""
    sentinel = tmp_path / "ran"
    templates = write(tmp_path / "templates", {"hooks/post-checkout": f"#!/bin/sh\ntouch {sentinel}\n"})
    (templates / "hooks" / "post-checkout").chmod(0o755)
    config = (
        f"[init]\n\ttemplateDir = {templates}\n[core]\n\thooksPath = {templates}/hooks\n"
        f'[filter "x"]\n\tsmudge = touch {sentinel}; cat\n[protocol "file"]\n\tallow = always\n'
    )
    write(tmp_path / "user", {".gitconfig": config})
    inner = repository("inner", {"secret": "x"})
    directory = tmp_path / "repositories" / "demo"
    url = repository(
        "demo", {**DEMO, "__init__.py": f"open({str(sentinel)!r}, 'w')\n", ".gitattributes": "* filter=x\n"}
    )
    git(directory, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "inner")
    write(
        directory, {"hooks/post-merge": f"#!/bin/sh\ntouch {sentinel}\n", "setup.py": f"open({str(sentinel)!r}, 'w')\n"}
    )
    repository("demo", {})
    installed = install(home, source_of(url))
    repository("demo", {"more": ""})
    assert update(home, "demo").changed
    assert not sentinel.exists()
    assert not (installed.directory / ".git" / "hooks").exists()
    assert not list((installed.directory / "inner").iterdir())


def test_file_above_the_size_limit_is_rejected(
    home: Home, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_calls, "MAX_FILE_BYTES", 1024 * 1024)
    url = repository("demo", DEMO)
    with (tmp_path / "repositories" / "demo" / "huge").open("wb") as file:
        file.truncate(8 * 1024 * 1024)
    repository("demo", {})
    with pytest.raises(UnavailableError, match="git clone"):
        install(home, source_of(url))
    assert is_untouched(home)


def test_silent_server_causes_a_timeout(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_calls, "TIME_LIMIT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(UnavailableError, match="timed out after"):
            install(home, source_of(f"http://127.0.0.1:{port}/x.git"))
    assert is_untouched(home)


def test_password_in_a_url_is_not_printed(home: Home) -> None:
    with pytest.raises(UnavailableError) as caught:
        install(home, source_of("http://user:hunter2@127.0.0.1:1/x.git"))
    assert "hunter2" not in str(caught.value)


def test_missing_git_is_reported(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="git is not installed"):
        install(home, source_of("owner/repo"))
    assert is_untouched(home)


@pytest.mark.parametrize("marker", [True, False])
def test_managed_home_is_not_changed(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: bool) -> None:
    write(home.plugins_dir / "demo", DEMO)
    if marker:
        (home.path / ".managed").touch()
    else:
        monkeypatch.setenv("HERMES_MANAGED", "0")
    before = tree(home.path)
    for operation in (
        lambda: install(home, write(tmp_path / "x", DEMO)),
        lambda: update(home, "demo"),
        lambda: remove(home, "demo"),
    ):
        with pytest.raises(UnavailableError, match="managed"):
            operation()
    assert tree(home.path) == before


def test_concurrent_installs_of_one_plugin_succeed_once(home: Home, tmp_path: Path) -> None:
    source = write(tmp_path / "demo", DEMO)
    program = (
        "import sys; from pathlib import Path; from hermes_sdk.home import Home\n"
        "from hermes_sdk.operate.install import install\n"
        "install(Home(Path(sys.argv[1])), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(home.path), str(source)]
    running = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(3)]
    assert sorted(bool(process.wait()) for process in running) == [False, True, True]
    assert tree(home.plugins_dir / "demo").keys() == DEMO.keys()
    assert is_untouched(home) is False
    assert [path.name for path in home.plugins_dir.iterdir()] == ["demo"]


def test_project_of_core_tool_is_rejected_with_instructions(home: Home, tmp_path: Path) -> None:
    project = tmp_path / "project"
    settings = '[tool.pytest.ini_options]\nhermes_plugin = "tools/roll.py"\n'
    tool = "from tools.registry import registry\nregistry.register()\n"
    write(project, {"pyproject.toml": settings, "tools/roll.py": tool})
    with pytest.raises(UsageError, match="is a core tool of Hermes, not a plugin") as caught:
        install(home, source_of(str(project)))
    assert "Copy the file into the `tools` directory" in caught.value.fix
    assert is_untouched(home)
