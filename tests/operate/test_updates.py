"""Updates of plugins from a subdirectory of a repository, and of all plugins."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from operate.conftest import Repository, git, write
from operate.tools import Ours, tree

from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate.install import install, remove, source_of
from hermes_sdk.operate.origins import FILE_NAME, ID_FILE_NAME, find_origin
from hermes_sdk.operate.updates import update

DEMO = {
    "src/demo/plugin.yaml": "name: demo\nversion: 1\n",
    "src/demo/__init__.py": "def register(ctx): pass\n",
    "src/demo/settings.yaml.example": "a: 1\n",
    "README.md": "",
}


@pytest.fixture
def url(repository: Repository) -> str:
    """Return the URL of a project with its plugin in a subdirectory."""
    return repository("project", DEMO)


@pytest.fixture
def installed(home: Home, url: str) -> Path:
    """Install the plugin of the project, and return its directory."""
    return install(home, source_of(f"{url}#src/demo")).directory


def test_plugin_in_a_subdirectory_keeps_local_changes_when_updated(
    home: Home, ours: Ours, installed: Path, repository: Repository
) -> None:
    (installed / "settings.yaml").write_text("a: mine\n")
    (installed / "__init__.py").write_text("mine = 1\n")
    (installed / "data.db").touch()
    repository("project", {"src/demo/plugin.yaml": "name: demo\nversion: 2\n", "src/demo/more.conf.example": "b: 1\n"})
    done = ours(home.path, "update", "demo")
    assert (done.exit_code, done.output) == (0, "Created more.conf from more.conf.example.\n✓ demo was updated.\n")
    files = {path.name: path.read_text() for path in installed.iterdir() if path.name != ID_FILE_NAME}
    assert files == {
        "plugin.yaml": "name: demo\nversion: 2\n",
        "__init__.py": "mine = 1\n",
        "settings.yaml": "a: mine\n",
        "settings.yaml.example": "a: 1\n",
        "more.conf": "b: 1\n",
        "more.conf.example": "b: 1\n",
        "data.db": "",
    }
    assert ours(home.path, "update", "demo").output == "✓ demo is up to date.\n"
    repository("project", {"src/demo/third.py": ""})
    assert update(home, "demo").changed
    assert (installed / "third.py").exists()


def test_update_removes_deleted_files(home: Home, installed: Path, repository: Repository, tmp_path: Path) -> None:
    repository("project", {"src/demo/old.py": ""})
    update(home, "demo")
    assert (installed / "old.py").exists()
    (tmp_path / "repositories" / "project" / "src" / "demo" / "old.py").unlink()
    repository("project", {})
    update(home, "demo")
    assert not (installed / "old.py").exists()


def test_update_fails_when_it_would_overwrite_local_changes(
    home: Home, installed: Path, repository: Repository
) -> None:
    (installed / "__init__.py").write_text("mine = 1\n")
    (installed / "new.py").write_text("mine = 1\n")
    before = tree(home.path)
    for name in ("__init__.py", "new.py"):
        repository("project", {f"src/demo/{name}": "theirs = 1\n"})
        with pytest.raises(UnavailableError, match=r"overwritten(.|\n)*Undo the conflicting local changes"):
            update(home, "demo")
        assert tree(home.path) == before


def test_update_follows_the_installed_branch(home: Home, url: str, repository: Repository, tmp_path: Path) -> None:
    directory = tmp_path / "repositories" / "project"
    git(directory, "checkout", "--quiet", "-b", "stable")
    repository("project", {"src/demo/stable.py": ""})
    plugin = install(home, source_of(f"{url}#src/demo"), ref="stable").directory
    repository("project", {"src/demo/newer.py": ""})
    git(directory, "checkout", "--quiet", "main")
    assert update(home, "demo").changed
    assert (plugin / "newer.py").exists()


@pytest.mark.parametrize("ref", ["v1", "sha"])
def test_pinned_plugin_in_a_subdirectory_is_not_updated(
    home: Home, ours: Ours, url: str, repository: Repository, tmp_path: Path, ref: str
) -> None:
    git(tmp_path / "repositories" / "project", "tag", "v1")
    sha = git(tmp_path / "repositories" / "project", "rev-parse", "HEAD")
    install(home, source_of(f"{url}#src/demo"), ref=sha if ref == "sha" else ref)
    repository("project", {"src/demo/new.py": ""})
    with pytest.raises(UsageError, match=f"pinned to {sha}"):
        update(home, "demo")
    done = ours(home.path, "update")
    assert (done.exit_code, done.output) == (0, f"- Skipped: 'demo' is pinned to {sha}.\n")


def test_plugin_that_moved_in_the_repository_is_kept(
    home: Home, installed: Path, tmp_path: Path, repository: Repository
) -> None:
    directory = tmp_path / "repositories" / "project"
    before = tree(home.path)
    git(directory, "mv", "src/demo", "src/renamed")
    repository("project", {})
    with pytest.raises(UsageError, match="'src/demo' is not a directory of the repository"):
        update(home, "demo")
    (directory / "src" / "demo").symlink_to("renamed")
    repository("project", {})
    with pytest.raises(UsageError, match="in another directory of its repository"):
        update(home, "demo")
    assert tree(home.path) == before
    assert installed.is_dir()


def test_missing_commit_stops_the_update(home: Home, installed: Path, tmp_path: Path) -> None:
    directory = tmp_path / "repositories" / "project"
    shutil.rmtree(directory / ".git")
    git(directory, "init", "--quiet", "--initial-branch=main")
    write(directory, {"src/demo/new.py": ""})
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--message=again")
    before = tree(home.path)
    with pytest.raises(UnavailableError, match=r"no longer has the installed commit(.|\n)*--force"):
        update(home, "demo")
    assert tree(home.path) == before


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside"])
def test_update_with_link_out_of_the_plugin_is_rejected(
    home: Home, installed: Path, repository: Repository, tmp_path: Path, target: str
) -> None:
    (tmp_path / "repositories" / "project" / "src" / "demo" / "link").symlink_to(target)
    repository("project", {})
    with pytest.raises(UsageError, match="a link to a path outside the plugin"):
        update(home, "demo")
    assert not (installed / "link").is_symlink()


def test_record_is_private_and_removed_with_the_plugin(home: Home, installed: Path, url: str) -> None:
    record = home.path / FILE_NAME
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert [origin["url"] for origin in json.loads(record.read_text())["origins"].values()] == [url]
    remove(home, "demo")
    assert json.loads(record.read_text())["origins"] == {}
    assert not installed.exists()


def test_copied_record_has_no_effect(home: Home, installed: Path, url: str, tmp_path: Path) -> None:
    """Copy the ID file of an installed plugin and the record itself into another plugin."""
    stolen = (installed / ID_FILE_NAME).read_text()
    evil = {"plugin.yaml": "name: evil\n", ID_FILE_NAME: stolen, FILE_NAME: (home.path / FILE_NAME).read_text()}
    install(home, write(tmp_path / "evil", evil))
    with pytest.raises(UsageError, match="'evil' was not installed from a Git repository"):
        update(home, "evil")
    other = install(home, source_of(f"{url}#src/demo"), force=True).directory
    assert (other / ID_FILE_NAME).read_text() != stolen


def test_plugin_replaced_by_other_files_is_not_updated(home: Home, installed: Path, repository: Repository) -> None:
    shutil.rmtree(installed)
    write(installed, {"plugin.yaml": "name: demo\n", "__init__.py": "other = 1\n"})
    repository("project", {"src/demo/new.py": ""})
    with pytest.raises(UsageError, match="'demo' was not installed from a Git repository"):
        update(home, "demo")
    assert not (installed / "new.py").exists()


def test_copied_home_can_be_updated(home: Home, installed: Path, repository: Repository) -> None:
    copy = Home(home.path.with_name("copy"))
    shutil.copytree(home.path, copy.path)
    repository("project", {"src/demo/new.py": ""})
    assert update(copy, installed.name).changed


@pytest.mark.parametrize("content", ["{", "[]", '{"origins": {"x": {"url": 1}}}', '{"origins": []}'])
def test_invalid_record_is_reported(home: Home, ours: Ours, installed: Path, content: str) -> None:
    (home.path / FILE_NAME).write_text(content)
    done = ours(home.path, "update", "demo")
    assert done.exit_code == 2
    assert f"{home.path / FILE_NAME}: the record of plugin sources is not valid" in done.output
    assert ours(home.path, "remove", "demo").exit_code == 0
    assert not installed.exists()


def test_concurrent_updates_leave_one_complete_plugin(
    home: Home, installed: Path, repository: Repository, tmp_path: Path
) -> None:
    repository("project", {"src/demo/new.py": "", "src/demo/__init__.py": "new = 1\n"})
    program = (
        "import sys; from pathlib import Path; from hermes_sdk.home import Home\n"
        "from hermes_sdk.operate.updates import update\nupdate(Home(Path(sys.argv[1])), 'demo')"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(home.path)]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    origin = find_origin(home, installed)
    assert origin is not None
    assert origin.commit == git(tmp_path / "repositories" / "project", "rev-parse", "HEAD")
    assert (installed / "new.py").exists()
    assert not update(home, "demo").changed
    assert not list(home.path.glob(".hermes-sdk-plugins-*"))


def test_failed_update_does_not_stop_other_plugins(
    home: Home, ours: Ours, installed: Path, repository: Repository, tmp_path: Path
) -> None:
    for name in ("broken", "rooted", "same"):
        install(home, source_of(repository(name, {"plugin.yaml": f"name: {name}\n"})))
    install(home, write(tmp_path / "copied", {"plugin.yaml": "name: copied\n"}))
    shutil.rmtree(tmp_path / "repositories" / "broken")
    repository("rooted", {"new.py": ""})
    repository("project", {"src/demo/new.py": ""})
    done = ours(home.path, "update")
    lines = [line for line in done.output.splitlines() if not line.startswith("  ")]
    assert [line for line in lines if line] == [
        "✗ broken: git clone failed:",
        "- Skipped: 'copied' was not installed from a Git repository.",
        "✓ demo was updated.",
        "✓ rooted was updated.",
        "✓ same is up to date.",
        "1 of 5 plugins could not be updated.",
    ]
    assert done.exit_code == 1
    assert (installed / "new.py").exists()
    assert (home.plugins_dir / "rooted" / "new.py").exists()
    shutil.rmtree(home.plugins_dir / "broken")
    assert ours(home.path, "update").exit_code == 0


def test_plugin_in_the_root_of_a_repository_needs_no_record(home: Home, repository: Repository) -> None:
    url = repository("rooted", {"plugin.yaml": "name: rooted\n"})
    for source in (url, f"{url}#."):
        directory = install(home, source_of(source), force=True).directory
        assert (directory / ".git").is_dir()
        assert not (home.path / FILE_NAME).exists()


def test_missing_git_is_reported_for_each_plugin(
    home: Home, ours: Ours, installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = ours(home.path, "update")
    assert done.exit_code == 1
    assert "✗ demo: git is not installed" in done.output
    with pytest.raises(HermesSdkError, match="git is not installed"):
        update(home, installed.name)
