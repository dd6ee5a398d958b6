"""Commands that are interrupted or fail leave each of the user's files unchanged or fully written."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from security.writers import COMMANDS, ROOT, reproduce

from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import keep_line_ends, write_file, write_files
from hermes_sdk.home import Home
from hermes_sdk.journal import recover

KINDS = ("kill", "interrupt", "full", "broken")

PLUGIN = {
    "plugin.yaml": "name: demo\r\nversion: 1.0\r\n",
    "__init__.py": "def register(ctx):\n    try:\n        pass\n    except:\n        pass\n",
}


def numbers(total: int, every: bool) -> list[int]:
    """Return the numbers of all calls, or of the first, the middle and the last five, which rename files."""
    return list(range(1, total + 1)) if every else sorted({1, total // 2, *range(max(1, total - 4), total + 1)})


def find_damage(name: str, root: Path, *, every: bool, kinds: tuple[str, ...]) -> list[str]:
    """Interrupt a command at many calls, and describe each partial state, leftover or traceback."""
    command = COMMANDS[name]
    copy = reproduce(name, root)
    done = copy("done")
    before = done.state()
    ended = done.run("kill", 0, command.words)
    assert ended.returncode in (0, 1), ended.stderr
    after = done.state()
    assert after != before
    middle = [{key: data for key, data in after.items() if key != "config.yaml"}] if name == "install" else []
    allowed = [after] if command.is_resumed else [before, after, *middle]
    found = []
    for kind in kinds:
        for number in numbers(int(ended.stderr.split()[-1]), every):
            place = copy(f"{kind}-{number}")
            broken = place.run(kind, number, command.words)
            repaired = place.run("kill", 0, command.repair)
            problems = {
                "has a traceback": "Traceback" in broken.stderr,
                "cannot be repaired": repaired.returncode != 0,
                "leaves half a state": place.state() not in allowed,
                "leaves temporary files": place.leftovers(),
            }
            found += [
                f"{kind} at call {number} {problem}: {broken.stderr}" for problem in problems if problems[problem]
            ]
            shutil.rmtree(place.root)
    return found


@pytest.mark.parametrize(
    "name",
    ["fix", "enable", *(pytest.param(name, marks=pytest.mark.slow) for name in ("add", "replace without exchange"))],
)
def test_interrupted_command_leaves_old_or_new_state(name: str, tmp_path: Path) -> None:
    kinds = ("kill", "full") if name != "enable" else ("kill",)
    assert find_damage(name, tmp_path, every=False, kinds=kinds) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COMMANDS)
def test_command_interrupted_at_any_call_leaves_old_or_new_state(name: str, kind: str, tmp_path: Path) -> None:
    assert find_damage(name, tmp_path, every=True, kinds=(kind,)) == []


CHANGES_IN_PLACE = """
import os, sys
def note(event, arguments):
    writes = event != "open" or isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if writes and event not in ("os.listdir", "os.scandir", "os.walk"):
        names = [os.fsdecode(one) for one in arguments if isinstance(one, str | bytes | os.PathLike)]
        last = [one for one in arguments if isinstance(one, int)][-len(names):] if event.startswith("os.") else []
        folders = [f"/proc/self/fd/{one}" for one in last] or [""] * len(names)
        for one, folder in zip(names, folders):
            if "/plugins/" in os.path.join(os.path.realpath(folder), one):
                print(event, os.path.basename(one), file=sys.__stdout__)
from hermes_sdk.cli.main import run
sys.addaudithook(note)
sys.stdout = sys.stderr
run(sys.argv[1:])
"""


@pytest.mark.parametrize(("name", "changes"), [("install", ["os.rename demo"]), ("replace", [])])
def test_plugin_is_installed_with_one_rename(name: str, changes: list[str], tmp_path: Path) -> None:
    """Observe all writes below ``plugins/``; audit hooks do not see the system call that exchanges directories."""
    place = reproduce(name, tmp_path)("done")
    done = subprocess.run(
        [sys.executable, "-c", CHANGES_IN_PLACE, *COMMANDS[name].words],
        cwd=place.work,
        env={**os.environ, "HERMES_HOME": str(place.work), "HERMES_SDK_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (place.work / "plugins" / "demo" / "new.py").exists()
    assert done.stdout.splitlines() == changes


# -- the writer -------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _use_temporary_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HERMES_MANAGED", raising=False)


def test_several_files_are_written_all_or_none(tmp_path: Path) -> None:
    place = tmp_path / "place"
    first, second = place / "a.txt", place / "b"
    place.mkdir()
    first.write_text("old")
    second.mkdir()
    with pytest.raises(UnavailableError, match="not a regular file"):
        write_files({first: b"new", second: b"new"})
    assert first.read_text() == "old"
    assert sorted(path.name for path in place.iterdir()) == ["a.txt", "b"]


def test_killed_change_is_completed_unless_a_file_was_edited(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    first, second = place / "a.txt", place / "b.txt"
    for file in (first, second):
        file.write_text("old")
    program = (
        "import os, pathlib, sys; from hermes_sdk.files import write_files\n"
        "files = [pathlib.Path(one) for one in sys.argv[1:]]; rename = os.rename\n"
        "os.rename = lambda one, to, **at: os._exit(9) if to == files[1].name else rename(one, to, **at)\n"
        "write_files({file: b'new' for file in files})\n"
    )
    command = [sys.executable, "-c", program, first, second]
    assert subprocess.run(command, check=False).returncode == 9
    assert (first.read_text(), second.read_text()) == ("new", "old")
    recover()
    assert (first.read_text(), second.read_text()) == ("new", "new")
    first.write_text("old")
    second.write_text("old")
    assert subprocess.run(command, check=False).returncode == 9
    second.write_text("edited meanwhile")
    recover()
    assert second.read_text() == "edited meanwhile"
    assert sorted(path.name for path in place.iterdir()) == ["a.txt", "b.txt"]


def test_unfinished_change_of_a_running_process_is_not_recovered(tmp_path: Path) -> None:
    file = tmp_path / "file"
    program = (
        "import pathlib, sys; from hermes_sdk import files\n"
        "commit = files._commit\n"
        "files._commit = lambda *given: (print('staged', flush=True), sys.stdin.readline(), commit(*given))\n"
        "files.write_file(pathlib.Path(sys.argv[1]), b'new')\n"
    )
    command = [sys.executable, "-c", program, file]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "staged\n"
        recover()
        process.communicate("\n")
    assert process.returncode == 0
    assert file.read_text() == "new"


def test_missing_home_is_not_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HERMES_SDK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    write_file(tmp_path / "file", b"new")
    assert not (tmp_path / "none").exists()


def test_write_keeps_the_mode_and_the_link(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_file(link, b"new")
    assert link.is_symlink()
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can edit what belongs to others")
def test_root_keeps_the_owner_of_another_users_home(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    home.config_path.write_text("a: 1\n")
    home.config_path.chmod(0o640)
    for path in (home.path, home.config_path):
        os.chown(path, 65534, 65533)
    home.enable("demo")
    home.set_env("A", "b")
    owners = {path.name: (path.stat().st_uid, path.stat().st_gid) for path in home.path.iterdir()}
    assert owners == dict.fromkeys(["config.yaml", ".env", ".hermes-sdk.lock"], (65534, 65533))
    assert stat.S_IMODE(home.config_path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be led astray")
def test_root_follows_no_links_of_another_user(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    mine = tmp_path / "mine"
    mine.write_text("a: 1\n")
    home.config_path.symlink_to(mine)
    os.chown(home.path, 65534, 65534)
    os.chown(home.config_path, 65534, 65534, follow_symlinks=False)
    with pytest.raises(UnavailableError, match="another user owns the link"):
        home.enable("demo")
    assert mine.read_text() == "a: 1\n"


@pytest.mark.parametrize("text", ["a: 1\r\nplugins:\r\n  enabled:\r\n    - a\r\n", "# only\r\n"])
def test_windows_line_ends_are_kept(tmp_path: Path, text: str) -> None:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    home.config_path.write_bytes(text.encode())
    home.env_path.write_bytes(b"A=1\r\n")
    home.enable("demo")
    home.set_env("B", "2")
    for path in (home.config_path, home.env_path):
        assert re.search(rb"(?<!\r)\n", path.read_bytes()) is None
    assert "demo" in home.enabled


def test_mixed_line_ends_are_kept() -> None:
    assert keep_line_ends("a\r\nb\n", "a\r\nb\nc\n") == "a\r\nb\nc\n"


def test_directory_or_fifo_with_reserved_name_is_ignored(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for name in (".config.yaml.a.tmp", ".hermes-sdk-0123.tmp"):
        (home.path / name).mkdir(parents=True)
    os.mkfifo(home.path / ".hermes-sdk-plugins-x")
    (tmp_path / "cache" / "journal" / "directory.json").mkdir(parents=True)
    os.mkfifo(tmp_path / "cache" / "journal" / "fifo.json")
    home.enable("demo")
    assert home.enabled == ["demo"]


@pytest.mark.parametrize("content", ["", "half", "[]", '{"files": [["a"]], "directories": [], "trees": []}'])
def test_invalid_journal_is_ignored(tmp_path: Path, content: str) -> None:
    journal = tmp_path / "cache" / "journal" / "x.json"
    journal.parent.mkdir(parents=True)
    journal.write_text(content)
    recover()
    write_file(tmp_path / "file", b"x")
    assert (tmp_path / "file").read_bytes() == b"x"


def test_files_are_synchronised_before_they_are_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Observe `fsync` for a written file with its directory, and for all files of an installed tree."""
    from hermes_sdk.operate.install import install

    synced: list[str] = []
    fsync = os.fsync

    def watch_fsync(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watch_fsync)
    write_file(tmp_path / "file", b"x")
    assert str(tmp_path) in synced
    assert any(name.startswith(f"{tmp_path}/.hermes-sdk-") for name in synced)
    source = tmp_path / "demo"
    source.mkdir()
    (source / "plugin.yaml").write_text("name: demo\n")
    install(Home(tmp_path / "home"), source)
    assert [name for name in synced if name.endswith("/new/plugin.yaml")]
    assert str(tmp_path / "home" / "plugins") in synced


# -- the source -------------------------------------------------------------------------------------------------------

WRITES = re.compile(
    r"\.write_(?:text|bytes)\(|open\([^)\n]*[\"'](?:[wax]b?\+?|r\+b?)[\"']|NamedTemporaryFile|mkstemp|os\.replace\("
)
OWN_FILES = (
    "files.py",  # the writer
    "links.py",  # copies of trees
    "journal.py",  # its own recovery
    "hosts/",  # homes of hosts, and files written by tools of the agent
    "contract/probe/",  # runs without hermes_sdk
    "testing/",
    "traces/player.py",  # homes for one scenario
    "compat/testing.py",  # settings of pytest in a temporary directory
    "check/rules/",  # names that rules look for
    "cache.py",  # the lock of the cache
    "check/builder.py",  # wheels that the sandbox builds, into our descriptors
    "terminal.py",  # /dev/null
)


def test_other_modules_do_not_write_files_of_the_user() -> None:
    found = [
        f"{file}: {line.strip()}"
        for file in sorted((ROOT / "hermes_sdk").rglob("*.py"))
        if not file.relative_to(ROOT / "hermes_sdk").as_posix().startswith(OWN_FILES)
        for line in file.read_text().splitlines()
        if WRITES.search(line)
    ]
    assert found == []
