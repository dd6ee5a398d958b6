"""The program that switches a home to another set of plugins, atomically."""

import fcntl
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from nix.programs import TOOLS, make_set, switch
from nix.running import PLUGINS

from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import HostKind


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def find_versions(home: Path, kind: HostKind = "embedded", release: str = "0.19.0") -> dict[str, str]:
    """Return tool -> version of the plugins that a host loads."""
    with open_host(kind, release, Home(home), environment={"PYTHONDONTWRITEBYTECODE": "1"}) as host:
        return {tool: host.call_tool(tool).json["version"] for tool in host.tools}


def snapshot(home: Path) -> dict[str, tuple[int, int, int]]:
    stats = {str(path): path.lstat() for path in [home, *home.rglob("*")]}
    return {path: (one.st_ino, one.st_mtime_ns, one.st_ctime_ns) for path, one in stats.items()}


def tree(home: Path) -> list[str]:
    root = home / "plugins"
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_symlink() or path.is_dir())


def test_second_switch_writes_nothing(home: Path, tmp_path: Path) -> None:
    wanted = make_set(tmp_path / "set", "alpha", "memo", "model", config={"plugins": {"enabled": ["alpha"]}})
    assert switch(home, wanted)
    before = snapshot(home)
    assert switch(home, wanted) == []
    assert snapshot(home) == before


def test_dry_run_lists_steps_and_writes_nothing(home: Path, tmp_path: Path) -> None:
    switch(home, make_set(tmp_path / "old", "alpha"))
    before = snapshot(home)
    wanted = make_set(tmp_path / "new", "beta")
    planned = switch(home, wanted, dry_run=True)
    assert snapshot(home) == before
    assert planned == switch(home, wanted)
    assert not (tmp_path / "nothing").exists()
    assert switch(tmp_path / "nothing", wanted, dry_run=True)
    assert not (tmp_path / "nothing").exists()


def test_unlinking_removes_only_added_links_and_settings(home: Path, tmp_path: Path) -> None:
    (home / "plugins" / "mine").mkdir(parents=True)
    switch(home, make_set(tmp_path / "set", "alpha", "model"))
    switch(home, None)
    assert tree(home) == ["mine"]
    assert yaml.safe_load((home / "config.yaml").read_text()) == {"plugins": {"enabled": []}}
    assert not (home / ".nix-plugins" / "current").is_symlink()


def test_garbage_collected_set_is_ignored(home: Path, tmp_path: Path) -> None:
    switch(home, make_set(tmp_path / "set", "alpha"))
    shutil.rmtree(tmp_path / "set")
    assert find_versions(home) == {}


def test_home_can_be_moved(home: Path, tmp_path: Path) -> None:
    switch(home, make_set(tmp_path / "set", "alpha"))
    home.rename(tmp_path / "a new 'place'")
    assert find_versions(tmp_path / "a new 'place'") == {"alpha_tool": "1.0.0"}


def test_removed_link_is_restored(home: Path, tmp_path: Path) -> None:
    wanted = make_set(tmp_path / "set", "alpha", "beta")
    switch(home, wanted)
    (home / "plugins" / "nix-managed-alpha").unlink()
    assert switch(home, wanted) == [f"link {home}/plugins/nix-managed-alpha"]


def test_hidden_plugin_is_linked_when_conflicting_one_is_removed(home: Path, tmp_path: Path) -> None:
    wanted = make_set(tmp_path / "set", "alpha")
    shutil.copytree(PLUGINS / "alpha-v2", home / "plugins" / "alpha")
    steps = switch(home, wanted, "keep")
    assert steps[0].startswith(f"keep {home}/plugins/alpha, which is not managed by Nix, has the name 'alpha', too")
    assert find_versions(home) == {"alpha_tool": "2.0.0"}
    shutil.rmtree(home / "plugins" / "alpha")
    switch(home, wanted, "keep")
    assert find_versions(home) == {"alpha_tool": "1.0.0"}


def test_replaced_directories_are_not_overwritten(home: Path, tmp_path: Path) -> None:
    wanted = make_set(tmp_path / "set", "alpha")
    for _ in range(2):
        (home / "plugins" / "nix-managed-alpha").unlink(missing_ok=True)
        (home / "plugins" / "nix-managed-alpha").mkdir(parents=True)
        switch(home, wanted, "move")
    assert sorted(path.name for path in (home / ".nix-plugins" / "replaced").iterdir()) == [
        "nix-managed-alpha.1",
        "nix-managed-alpha.2",
    ]


@pytest.mark.parametrize("policy", ["fail", "keep", "move"])
def test_links_created_by_the_user_are_kept(home: Path, tmp_path: Path, policy: str) -> None:
    (home / "plugins" / "model-providers").mkdir(parents=True)
    mine = ["nix-managed-mine", "model-providers/mine", "dangling"]
    for name in mine:
        (home / "plugins" / name).symlink_to(tmp_path / "mine")
    switch(home, make_set(tmp_path / "set", "alpha", "model"), policy)
    switch(home, make_set(tmp_path / "none"), policy)
    assert tree(home) == sorted([*mine, "model-providers"])


@pytest.mark.parametrize(
    "target", ["other/.nix-plugins/current/links/nix-managed-mine", "{home}/.nix-plugins/current/links/x"]
)
def test_links_into_sets_created_by_the_user_are_kept(home: Path, tmp_path: Path, target: str) -> None:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "nix-managed-mine").symlink_to(target.format(home=home))
    switch(home, make_set(tmp_path / "set", "alpha"))
    switch(home, None)
    assert tree(home) == ["nix-managed-mine"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"places": {"../evil": "evil"}}, "the place '../evil', which leads out of the home"),
        ({"places": {"/etc/evil": "evil"}}, "the place '/etc/evil', which leads out of the home"),
        ({"places": {"deep/er/one": "one"}}, "the place 'deep/er/one', in which the host finds no plugin"),
        ({"places": {"": "one"}}, "the place '', which leads out of the home"),
        ({"places": ["one"]}, "not a set of plugins"),
        ({"directories": ["../other"]}, "the directory '../other', which leads out of the home"),
        ({"directories": ["/tmp/other"]}, "the directory '/tmp/other', which leads out of the home"),
    ],
)
def test_plan_with_paths_outside_the_home_is_rejected(
    home: Path, tmp_path: Path, plan: dict[str, Any], message: str
) -> None:
    (tmp_path / "set").mkdir()
    content = {"places": {}, "directories": [], "config": {}, **plan}
    (tmp_path / "set" / "plan.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(message)):
        switch(home, tmp_path / "set")
    assert not home.exists()


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("plugins", "", "a file is in the way"),
        ("plugins/model-providers", "", "a file is in the way"),
        ("config.yaml", "plugins: [\n", "config.yaml:2:1: not valid YAML"),
        ("config.yaml", "- a\n", "the configuration is not a mapping"),
        ("config.yaml", "\udcff", "cannot be read"),
        (".nix-plugins/added.json", "[1]", "not a record of this program"),
    ],
)
def test_invalid_home_is_rejected_before_any_change(
    home: Path, tmp_path: Path, path: str, text: str, message: str
) -> None:
    (home / path).parent.mkdir(parents=True)
    (home / path).write_bytes(text.encode(errors="surrogateescape"))
    (home / ".nix-plugins").mkdir(exist_ok=True)
    (home / ".hermes-sdk.lock").touch()
    before = snapshot(home)
    with pytest.raises(UsageError, match=message):
        switch(home, make_set(tmp_path / "set", "alpha", "model"))
    assert snapshot(home) == before


def run(*arguments: str | Path, **given: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-s", "-B", TOOLS / "link.py", *arguments]
    return subprocess.run(command, text=True, capture_output=True, check=False, **given)


def test_command_line_links_and_unlinks(home: Path, tmp_path: Path) -> None:
    wanted = make_set(tmp_path / "set", "alpha")
    done = run("--set", wanted, env={**os.environ, "HERMES_HOME": str(home)})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{home}: 1 linked from Nix, ")
    again = run("--home", home, "--set", wanted)
    assert again.stdout == f"{home}: 1 linked from Nix, 0 steps\n"
    assert f"would unlink {home}/plugins/nix-managed-alpha\n" in run("--home", home, "--unlink", "--dry-run").stdout
    assert run("--home", home).returncode == 2


@pytest.mark.parametrize("broken", [".", "plan.json"])
def test_invalid_set_is_rejected_without_a_traceback(home: Path, tmp_path: Path, broken: str) -> None:
    (tmp_path / "set").mkdir()
    if broken == "plan.json":
        (tmp_path / "set" / "plan.json").write_text('{"places": {}}')
    done = run("--home", home, "--set", tmp_path / "set")
    assert done.returncode == 2
    assert "not a set of plugins" in done.stderr
    assert "Traceback" not in done.stderr


def test_unwritable_home_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("--home", tmp_path / "file" / "home", "--set", make_set(tmp_path / "set"))
    assert done.returncode == 3
    assert done.stderr.startswith("hermes-plugins-link: ")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can own what belongs to others")
def test_root_rejects_home_of_another_user(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    os.chown(home, 65534, 65534)
    with pytest.raises(UnavailableError, match="belongs to another user"):
        switch(home, make_set(tmp_path / "set", "alpha"))
    assert list(home.iterdir()) == []


def test_waiting_switch_can_be_interrupted(home: Path, tmp_path: Path) -> None:
    home.mkdir(parents=True)
    holder = os.open(home / ".hermes-sdk.lock", os.O_RDONLY | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    arguments = ["--home", home, "--set", make_set(tmp_path / "set", "alpha")]
    command = [sys.executable, "-s", "-B", TOOLS / "link.py", *arguments]
    # Background processes of a shell ignore SIGINT, and children inherit that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=listen) as waiting:  # noqa: PLW1509
        assert waiting.stderr
        assert "waiting" in waiting.stderr.readline()
        # The waiting command has changed nothing, even after another command has run.
        assert f"would link {home}/plugins/nix-managed-alpha\n" in run(*arguments, "--dry-run").stdout
        waiting.send_signal(signal.SIGINT)
        errors = waiting.stderr.read()
    os.close(holder)
    assert waiting.returncode == 130
    assert errors == "hermes-plugins-link: broken off; run it again to finish\n"


def test_concurrent_switches_are_serialised(home: Path, tmp_path: Path) -> None:
    sets = [
        make_set(tmp_path / name, *plugins)
        for name, plugins in {"a": ["alpha", "beta"], "b": ["beta", "gamma"]}.items()
    ]
    command = [sys.executable, "-s", "-B", TOOLS / "link.py", "--home", home, "--set"]
    running = [subprocess.Popen([*command, wanted], stderr=subprocess.PIPE) for wanted in sets * 4]
    assert [process.communicate() and process.returncode for process in running] == [0] * len(running)
    tools = {tool.removesuffix("_tool") for tool in find_versions(home)}
    assert tools in ({"alpha", "beta"}, {"beta", "gamma"})
    assert set(yaml.safe_load((home / "config.yaml").read_text())["plugins"]["enabled"]) == tools


# -- killed before any change -----------------------------------------------------------------------------------------

KILLED = """\
import os, runpy, signal, sys
left = int(sys.argv[1])
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
changes = {"os.mkdir", "os.rmdir", "os.remove", "os.rename", "os.symlink", "os.truncate", "os.chmod"}

def watch(event, arguments):
    global left
    if event in changes or (event == "open" and isinstance(arguments[2], int) and arguments[2] & writing):
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

sys.argv = sys.argv[2:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
sys.addaudithook(watch)
runpy.run_path(sys.argv[0], run_name="__main__")
"""

OLD, NEW = ("alpha", "beta", "memo"), ("alpha-v2", "gamma", "model", "spaced")
SEEN_OLD = {"alpha_tool": "1.0.0", "beta_tool": "1.0.0", "mine_tool": "9.0.0"}
SEEN_NEW = {"alpha_tool": "2.0.0", "gamma_tool": "1.0.0", "spaced_tool": "1.0.0", "mine_tool": "9.0.0"}


def kill_before_each_change(tmp_path: Path, kind: HostKind, release: str, every: int = 1) -> int:
    """Kill a switch before each of its changes (or each n-th), check the home, and return the number of kills."""
    old, new = make_set(tmp_path / "old", *OLD), make_set(tmp_path / "new", *NEW)
    start = tmp_path / "start"
    shutil.copytree(PLUGINS / "alpha", start / "plugins" / "mine", ignore=shutil.ignore_patterns("__pycache__"))
    for file in (start / "plugins" / "mine").iterdir():
        file.write_text(file.read_text().replace("alpha", "mine").replace("1.0.0", "9.0.0"))
    (start / "config.yaml").write_text("plugins:\n  enabled: [mine]  # by hand\n")
    switch(start, old)
    states = []
    for number in range(0, 100, every):
        home = tmp_path / "homes" / str(number)
        shutil.copytree(start, home, symlinks=True)
        command = [
            sys.executable,
            "-s",
            "-B",
            "-c",
            KILLED,
            str(number),
            TOOLS / "link.py",
            "--home",
            home,
            "--set",
            new,
        ]
        killed = subprocess.run(command, capture_output=True, check=False).returncode
        states.append(find_versions(home, kind, release))
        assert states[-1] in (SEEN_OLD, SEEN_NEW), f"broken off after {number} changes"
        switch(home, new)
        assert find_versions(home, kind, release) == SEEN_NEW
        switch(home, None)
        assert (home / "config.yaml").read_text() == "plugins:\n  enabled: [mine]  # by hand\n"
        if killed == 0:
            break
    assert states[0] == SEEN_OLD
    assert states[-1] == SEEN_NEW
    return len(states)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_host_sees_the_old_or_new_set(tmp_path: Path, every: int) -> None:
    assert kill_before_each_change(tmp_path, "embedded", "0.19.0", every) > 15 / every


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("release", ["0.19.0", "0.13.0"])
def test_real_host_sees_the_old_or_new_set(tmp_path: Path, real_python: Any, release: str) -> None:
    real_python(release)
    assert kill_before_each_change(tmp_path, "real", release) > 15


@pytest.mark.parametrize("times", [50, pytest.param(300, marks=pytest.mark.slow)])
def test_reader_always_sees_a_plugin_that_is_in_both_sets(home: Path, tmp_path: Path, times: int) -> None:
    sets = [make_set(tmp_path / "a", "alpha", "beta", "memo"), make_set(tmp_path / "b", "alpha-v2", "beta", "model")]
    switch(home, sets[0])
    stop, looks, missed = threading.Event(), 0, 0

    def look() -> None:
        nonlocal looks, missed
        while not stop.is_set():
            looks += 1
            text = (home / "config.yaml").read_text()
            missed += not (home / "plugins" / "nix-managed-beta" / "plugin.yaml").is_file() or "beta" not in text

    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(times):
            switch(home, sets[(number + 1) % 2])
    finally:
        stop.set()
        reader.join()
    assert looks > times
    assert missed == 0
