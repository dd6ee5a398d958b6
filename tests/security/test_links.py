"""Symbolic links: those in a directory must not lead out of it, and root follows no links of other users."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from operate.conftest import write
from security.test_other_users import NOBODY, find_python, run

from hermes_sdk import links
from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.cli.main import run as command_line
from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.files import write_file, write_files
from hermes_sdk.home import Home
from hermes_sdk.operate.install import install, link, remove
from hermes_sdk.operate.state import disable, enable, user_plugins
from hermes_sdk.operate.updates import update

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be led astray")
SECRET = "the secret of somebody else"
MANIFEST = "name: demo\nversion: '1.0'\nkind: standalone\n"
BARE = "def register(ctx):\n    try:\n        pass\n    except:\n        pass\n"
FIXABLE = """def register(ctx):
    def run(args):
        return "{}"
    ctx.register_tool(name="x", toolset="y", schema={"name": "x", "description": "d"}, handler=run)
"""
FIXED = FIXABLE.replace("(args)", "(args, **kwargs)")
PLUGIN = {"plugin.yaml": MANIFEST, "__init__.py": BARE}


@pytest.fixture(autouse=True)
def _use_temporary_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HERMES_MANAGED", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Create a project with a plugin, and a secret file next to it."""
    (tmp_path / "secret").write_text(f"{SECRET} = [\n")
    return write(tmp_path / "project", PLUGIN)


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("argv", nargs=-1, type=click.UNPROCESSED)
def hermes_sdk(argv: tuple[str, ...]) -> None:
    command_line(list(argv))


def call(*words: str | Path) -> tuple[int, str]:
    """Run a command, and return its exit code and output."""
    done = CliRunner().invoke(hermes_sdk, list(map(str, words)))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


# -- the policy -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "leads"),
    [
        ("inner/file", "inner/file"),
        ("inner/../inner/./file", "inner/file"),
        ("inner/new", "inner/new"),
        ("directory/file", "inner/file"),
        ("inner/up/other", "other"),
        ("../secret", None),
        ("inner/../../secret", None),
        ("/etc/passwd", None),
        ("{root}/inner/file", None),
        ("inner/../../project/inner/file", None),
        ("loop", None),
    ],
)
def test_link_out_of_a_directory_is_rejected(project: Path, target: str, leads: str | None) -> None:
    write(project, {"inner/file": "inside", "other": "other"})
    (project / "directory").symlink_to("inner")
    (project / "inner" / "up").symlink_to("..")
    link = project / ("loop" if target == "loop" else "link")
    link.symlink_to(target.format(root=project))
    if leads is None:
        with pytest.raises(links.LinkError):
            links.open_file(link, project)
        assert links.leads_out(link, project)
    else:
        assert links.resolve(link, project) == project / leads
        assert not links.leads_out(link, project)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "inner/../../secret"])
def test_path_out_of_a_directory_is_rejected(project: Path, name: str) -> None:
    (project / "inner").mkdir()
    with pytest.raises(links.LinkError, match="leads out"):
        links.open_file(project / name, project)


def test_directory_itself_may_be_a_link(project: Path, tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.symlink_to("project")
    assert links.resolve(named / "plugin.yaml", named) == project / "plugin.yaml"
    write_files({named / "plugin.yaml": b"new"}, root=named)
    assert (project / "plugin.yaml").read_text() == "new"


def test_write_in_a_directory_follows_no_link_out_of_it(project: Path, tmp_path: Path) -> None:
    (project / "link").symlink_to("../secret")
    (project / "folder").symlink_to("..")
    for name in ("link", "folder/secret", "folder/new", "../secret"):
        with pytest.raises(UnavailableError, match="leads out of the directory 'project'"):
            write_files({project / name: b"new", project / "plugin.yaml": b"new"}, root=project)
    assert (tmp_path / "secret").read_text() == f"{SECRET} = [\n"
    assert (project / "plugin.yaml").read_text() == MANIFEST
    write_file(project / "link", b"named by the user")
    assert ((project / "link").is_symlink(), (tmp_path / "secret").read_text()) == (True, "named by the user")


def test_copy_keeps_links_modes_and_times(project: Path, tmp_path: Path) -> None:
    (project / "plugin.yaml").chmod(0o640)
    os.utime(project / "plugin.yaml", ns=(1_000_000_000, 2_000_000_000))
    (project / "link").symlink_to("../secret")
    (project / "folder").symlink_to("..")
    with links.directory(tmp_path) as folder:
        links.copy_tree(project, "copy", folder)
    copy = tmp_path / "copy"
    assert ((copy / "link").readlink(), (copy / "folder").readlink()) == (Path("../secret"), Path(".."))
    status = (copy / "plugin.yaml").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o640, 2_000_000_000)
    assert (copy / "__init__.py").read_text() == BARE
    os.mkfifo(project / "pipe")
    with pytest.raises(links.NotAFileError), links.directory(tmp_path) as folder:
        links.copy_tree(project, "other", folder)


# -- check, add, show -------------------------------------------------------------------------------------------------

LINKED = ["leak.py", "plugin.yaml", "pyproject.toml", "README.md", "skills/a/SKILL.md", "config.yaml.example", "data"]


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("output", ["text", "json", "sarif", "github"])
def test_check_prints_nothing_from_outside_the_project(project: Path, name: str, output: str) -> None:
    file = project / name
    file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(project.parent / "secret")
    for _ in range(2):  # The second run reads the cache.
        _, printed = call("check", "--static", "--format", output, project)
        assert "secret of" not in printed
    assert "secret of" not in "".join(one.read_text() for one in (project.parent / "cache").rglob("*.json"))
    if name in ("leak.py", "data"):
        assert "a link that leads out of the project" in printed
    if name == "plugin.yaml":
        assert "the manifest cannot be read" in printed


@pytest.mark.parametrize("name", ["leak.py", "plugin.yaml"])
def test_show_prints_nothing_from_outside_the_project(project: Path, name: str) -> None:
    (project / name).unlink(missing_ok=True)
    (project / name).symlink_to(project.parent / "secret")
    assert "secret of" not in call("show", project)[1]


def test_plugin_directory_outside_the_project_is_rejected(project: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"pyproject.toml": '[tool.hermes-sdk]\nplugin = "demo"\n'})
    (other / "demo").symlink_to(project)
    code, printed = call("check", "--static", other)
    assert (code, "leads out of its project" in printed) == (2, True)
    code, printed = call("check", "--static", other / "demo")
    assert (code, "HS205" in printed) == (0, False), printed
    (other / "demo").unlink()
    (other / "pyproject.toml").write_text('[tool.hermes-sdk]\nplugin = "../project"\n')
    assert call("check", "--static", other)[0] == 2


def test_check_reads_links_within_the_project(project: Path) -> None:
    write(project, {"shared/plugin.yaml": MANIFEST, "shared/broken.py": "x = (\n", "pyproject.toml": ""})
    (project / "plugin.yaml").unlink()
    (project / "plugin.yaml").symlink_to("shared/plugin.yaml")
    (project / "other.py").symlink_to("shared/broken.py")
    code, printed = call("check", "--static", project)
    assert "HS203" in printed.partition("other.py")[2]
    assert "│ x = (" in printed
    assert "leads out" not in printed
    assert code == 1


def test_fix_writes_nothing_outside_the_project(project: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"a.py": FIXABLE, "b.py": FIXABLE})
    write(project, {"__init__.py": FIXABLE})
    (project / "link.py").symlink_to(outside / "a.py")
    (project / "folder").symlink_to(outside)
    call("check", "--static", "--release", "0.19.0", "--fix", project)
    assert ((outside / "a.py").read_text(), (outside / "b.py").read_text()) == (FIXABLE, FIXABLE)
    assert (project / "__init__.py").read_text() == FIXED


def test_fix_follows_link_within_the_project(project: Path) -> None:
    write(project, {"shared/plugin.yaml": "name: demo\nversion: 1.0\n", "pyproject.toml": ""})
    (project / "plugin.yaml").unlink()
    (project / "plugin.yaml").symlink_to("shared/plugin.yaml")
    call("check", "--static", "--release", "0.19.0", "--fix", project)
    assert (project / "plugin.yaml").is_symlink()
    assert (project / "shared" / "plugin.yaml").read_text() == "name: demo\nversion: '1.0'\n"


@pytest.mark.parametrize("name", ["__init__.py", "plugin.yaml", "tests"])
def test_add_uses_no_file_outside_the_project(project: Path, tmp_path: Path, name: str) -> None:
    original = project / name
    outside = write(tmp_path / "outside", {"__init__.py": BARE, "plugin.yaml": MANIFEST, "tests/test_x.py": ""})
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    original.unlink(missing_ok=True)
    original.symlink_to(outside / name)
    code, printed = call("add", "tool", "fetch_page", project)
    assert (code in (2, 3), "leads out" in printed) == (True, True), printed
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before
    original.unlink()
    if name != "tests":
        write(project, {name: PLUGIN[name]})
    assert call("add", "tool", "fetch_page", project)[0] == 0
    assert "fetch_page" in (project / "__init__.py").read_text()


# -- caches and locks -------------------------------------------------------------------------------------------------


def make(made: Path) -> None:
    made.mkdir()


def test_link_in_place_of_a_lock_is_rejected(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (cache / ".folder.lock").symlink_to(mine)
    with pytest.raises(UnavailableError):
        make_once(cache / "folder", make, what="it", fix="")
    assert mine.read_text() == "mine"
    (cache / ".folder.lock").unlink()
    (cache / ".folder.lock").write_text("kept")
    make_once(cache / "folder", make, what="it", fix="")
    assert ((cache / "folder").is_dir(), (cache / ".folder.lock").read_text()) == (True, "kept")


def chown_to_nobody(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


@root_only
@pytest.mark.parametrize(
    "open_up",
    [chown_to_nobody, lambda cache: cache.chmod(0o777), lambda cache: cache.chmod(0o1777)],
    ids=["owned", "777", "1777"],
)
def test_root_rejects_cache_that_another_user_can_change(
    tmp_path: Path, project: Path, open_up: Callable[[Path], object]
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    assert call("check", "--static", project)[0] == 0
    open_up(cache)
    code, printed = call("check", "--static", project)
    assert (code, "Set HERMES_SDK_CACHE to a directory that belongs to root" in printed) == (3, True)
    with pytest.raises(UnavailableError):
        cache_dir()
    write_file(tmp_path / "file", b"without a journal")
    assert (tmp_path / "file").read_text() == "without a journal"


@root_only
def test_root_rejects_cache_behind_a_link_of_another_user(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "cache").symlink_to("real")
    assert cache_dir() == tmp_path / "cache"
    chown_to_nobody(tmp_path / "cache")
    with pytest.raises(UnavailableError, match="another user"):
        cache_dir()


# -- the home of another user -----------------------------------------------------------------------------------------


@pytest.fixture
def theirs(tmp_path: Path) -> Home:
    """Create a home of another user, and next to it a directory of root with a plugin and a secret."""
    home = Home(tmp_path / "user" / "home")
    home.path.mkdir(parents=True)
    home.config_path.write_text("a: 1\n")
    write(tmp_path / "mine", {"demo/plugin.yaml": "name: demo\n", "keys": SECRET})
    for path in (home.path.parent, home.path, home.config_path):
        chown_to_nobody(path)
    return home


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


OPERATIONS: dict[str, Callable[[Home, Path], object]] = {
    "install": install,
    "replace": lambda home, source: install(home, source, force=True),
    "link": lambda home, source: link(home, source, force=True),
    "update": lambda home, _: update(home, "demo"),
    "remove": lambda home, _: remove(home, "demo"),
    "enable": lambda home, _: enable(home, "demo"),
    "disable": lambda home, _: disable(home, "demo"),
    "list": lambda home, _: list(user_plugins(home)),
    "set a variable": lambda home, _: home.set_env("A", "b"),
}


@root_only
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("where", ["plugins", "home", "user"])
def test_root_follows_no_link_created_by_the_owner_of_a_home(
    theirs: Home, tmp_path: Path, project: Path, operation: str, where: str
) -> None:
    mine = tmp_path / "mine"
    if where == "plugins":
        place, target = theirs.plugins_dir, mine
    else:
        (mine / "plugins").mkdir()
        (mine / "demo").rename(mine / "plugins" / "demo")
        place = theirs.path if where == "home" else theirs.path.parent
        shutil.rmtree(place)
        (mine / "home").symlink_to(".")
        target = mine
    place.symlink_to(target)
    chown_to_nobody(place)
    before = read_files(mine)
    with pytest.raises(UnavailableError, match="another user owns the link"):
        OPERATIONS[operation](theirs, project)
    assert read_files(mine) == before


@root_only
def test_root_manages_home_of_another_user_for_its_owner(theirs: Home, tmp_path: Path, project: Path) -> None:
    write(project, {"folder/module.py": ""})
    install(theirs, project)
    install(theirs, project, force=True)
    enable(theirs, "demo")
    link(theirs, write(tmp_path / "linked", {"plugin.yaml": "name: linked\n"}))
    owners = {path: path.lstat().st_uid for path in theirs.path.rglob("*")}
    assert set(owners.values()) == {NOBODY}
    assert theirs.plugins_dir / "demo" / "folder" / "module.py" in owners
    assert theirs.enabled == ["demo"]
    remove(theirs, "demo")
    remove(theirs, "linked")
    assert list(theirs.plugins_dir.iterdir()) == []


@root_only
@pytest.mark.parametrize("operation", ["install", "remove"])
def test_root_follows_no_link_created_between_check_and_use(
    theirs: Home, tmp_path: Path, project: Path, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replace `plugins` with a link as its owner, before each system call that changes a name."""
    mine, changes = tmp_path / "mine", ("mkdir", "rename", "symlink", "unlink", "open")
    install(theirs, write(tmp_path / "first", {"plugin.yaml": "name: demo\n", "a/b.py": ""}))
    before = read_files(mine)
    real = {name: getattr(os, name) for name in changes}
    left = [3]

    def attack() -> None:
        left[0] -= 1
        if left[0] == 0:
            real["rename"](theirs.plugins_dir, theirs.path / "away")
            real["symlink"](mine, theirs.plugins_dir)
            chown_to_nobody(theirs.plugins_dir)

    def wrap(name: str) -> Callable[..., object]:
        def wrapper(*arguments: object, **options: object) -> object:
            if options or str(arguments[0]).startswith(str(theirs.path)):
                attack()
            return real[name](*arguments, **options)

        return wrapper

    for start in range(1, 60, 4):
        left[0] = start
        for name in changes:
            monkeypatch.setattr(os, name, wrap(name))
        try:
            OPERATIONS["replace" if operation == "install" else operation](theirs, project)
        except HermesSdkError:
            pass
        finally:
            monkeypatch.undo()
            monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
        assert read_files(mine) == before
        if theirs.plugins_dir.is_symlink():
            theirs.plugins_dir.unlink()
            (theirs.path / "away").rename(theirs.plugins_dir)
        install(theirs, project, force=True)


@root_only
def test_root_approves_no_shell_hook_through_link_of_another_user(theirs: Home, tmp_path: Path) -> None:
    mine = write(tmp_path / "mine", {"list.json": "{}"})
    theirs.allowlist.approve("on_session_start", "first.sh")
    assert theirs.allowlist.path.stat().st_uid == NOBODY
    theirs.allowlist.path.unlink()
    theirs.allowlist.path.symlink_to(mine / "list.json")
    chown_to_nobody(theirs.allowlist.path)
    with pytest.raises(UnavailableError, match="another user owns the link"):
        theirs.allowlist.approve("on_session_start", "second.sh")
    assert (mine / "list.json").read_text() == "{}"
    theirs.allowlist.path.unlink()
    theirs.allowlist.lock_path.unlink()
    theirs.allowlist.lock_path.symlink_to(mine / "list.json")
    with pytest.raises(UnavailableError):
        theirs.allowlist.approve("on_session_start", "second.sh")


@root_only
def test_root_ignores_forged_leftovers_of_another_user(theirs: Home, tmp_path: Path, project: Path) -> None:
    """Forge the temporary directory of a killed command that was replacing a directory of root."""
    mine = tmp_path / "mine"
    folder = write(theirs.path / ".hermes-sdk-plugins-forged", {"new/x": "", "backup/x": "", "target": str(mine)})
    for path in (folder, *folder.rglob("*")):
        chown_to_nobody(path)
    before = read_files(mine)
    install(theirs, project)
    assert read_files(mine) == before
    assert (theirs.plugins_dir / "demo" / "plugin.yaml").exists()


@root_only
def test_root_reads_no_links_in_home_of_another_user(theirs: Home, tmp_path: Path) -> None:
    (tmp_path / "mine" / "config.yaml").write_text(f"plugins: {{enabled: ['{SECRET}']}}\n")
    theirs.config_path.unlink()
    theirs.config_path.symlink_to(tmp_path / "mine" / "config.yaml")
    os.chown(theirs.path, 0, 0)
    assert theirs.enabled == [SECRET]
    for path, problem in (
        (theirs.path, "another user owns the directory of the link"),
        (theirs.config_path, "another user owns the link"),
    ):
        chown_to_nobody(path)
        assert theirs.enabled == []
        assert problem in theirs.config_problem
        assert SECRET not in theirs.config_problem


ORDINARY = """
import sys
from pathlib import Path
from hermes_sdk.home import Home
from hermes_sdk.operate.install import install, link, remove
from hermes_sdk.operate.state import enable
home, source = Home(Path(sys.argv[1])), Path(sys.argv[2])
install(home, source)
install(home, source, force=True)
enable(home, "demo")
home.set_env("A", "b")
remove(home, "demo")
link(home, source)
"""


@root_only
def test_other_users_may_use_their_own_links(tmp_path: Path, project: Path) -> None:
    """Link `config.yaml`, `.env`, `plugins` and the home itself to a repository of dotfiles."""
    python = find_python()
    folder = Path("/tmp", f"links-{os.getpid()}")
    try:
        shutil.copytree(project, folder / "project")
        write(folder / "dotfiles" / "home", {"real.yaml": "a: 1\n", "real.env": "", "real-plugins/x": ""})
        (folder / "dotfiles" / "home" / "config.yaml").symlink_to("real.yaml")
        (folder / "dotfiles" / "home" / ".env").symlink_to("real.env")
        (folder / "dotfiles" / "home" / "plugins").symlink_to("real-plugins")
        (folder / "home").symlink_to("dotfiles/home")
        (folder / "cache").mkdir()
        for path in (folder, *folder.rglob("*")):
            chown_to_nobody(path)
        done = run(
            *(python, "-c", ORDINARY, str(folder / "home"), str(folder / "project")),
            HOME=str(folder),
            HERMES_SDK_CACHE=str(folder / "cache"),
        )
        assert (done.returncode, done.stderr) == (0, "")
        home = folder / "dotfiles" / "home"
        assert all((home / name).is_symlink() for name in ("config.yaml", ".env", "plugins"))
        assert "demo" in (home / "real.yaml").read_text()
        assert (home / "real.env").read_text() == "A=b\n"
        assert (home / "real-plugins" / "demo").readlink() == folder / "project"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_links_are_checked_without_o_path(tmp_path: Path) -> None:
    """Run the tests without `os.O_PATH`, which macOS lacks."""
    code = "import os, sys, pytest; del os.O_PATH; sys.exit(pytest.main(sys.argv[1:]))"
    chosen = "a_directory or directory_outside or itself or copy_keeps or between or home_of or of_a_home or their_own"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={tmp_path}/t",
            "-k",
            chosen,
            __file__,
        ],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
