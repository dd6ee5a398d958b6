"""Intended differences between ``hermes-sdk`` and ``hermes``; `deviations.toml` gives the reasons."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from operate.conftest import Repository, write
from operate.tools import Done, Ours, Real, Terminal, state

from hermes_sdk.home import Home

DEVIATIONS = tomllib.loads(Path(__file__).with_name("deviations.toml").read_text(encoding="utf-8"))["deviation"]


@dataclass
class Twins:
    """A home for each tool, and both tools."""

    folder: Path
    ours: Ours
    real: Real
    repository: Repository

    def __post_init__(self) -> None:
        for home in (self.first, self.second):
            home.plugins_dir.mkdir(parents=True)

    @property
    def first(self) -> Home:
        """Return the home of ``hermes-sdk``."""
        return Home(self.folder / "first")

    @property
    def second(self) -> Home:
        """Return the home of ``hermes``."""
        return Home(self.folder / "second")

    def write(self, name: str, text: str) -> None:
        """Write a file into both homes."""
        for home in (self.first, self.second):
            write(home.path, {name: text})

    def run(self, *argv: str, **options: str) -> tuple[Done, Done]:
        """Run a command with ``hermes-sdk`` on the first home, and with ``hermes`` on the second."""
        return self.ours(self.first.path, *argv, **options), self.real(self.second.path, *argv, **options)


CASES: dict[str, Callable[[Twins], None]] = {}


def case(function: Callable[[Twins], None]) -> Callable[[Twins], None]:
    CASES[function.__name__] = function
    return function


def test_each_deviation_has_a_case() -> None:
    assert [deviation["name"] for deviation in DEVIATIONS] == list(CASES)
    for deviation in DEVIATIONS:
        assert deviation.keys() == {"name", "statement", "theirs", "ours"}


@pytest.mark.real_host
@pytest.mark.parametrize("name", [deviation["name"] for deviation in DEVIATIONS])
def test_deviation(name: str, tmp_path: Path, ours: Ours, real: Real, repository: Repository) -> None:
    CASES[name](Twins(tmp_path / "twins", ours, real, repository))


@case
def comments(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    twins.write("config.yaml", "# mine\ntimezone: UTC  # here\n")
    twins.run("disable", "one")
    assert "# mine\ntimezone: UTC  # here\n" in twins.first.config_path.read_text()
    theirs = twins.second.config_path.read_text()
    assert "# mine" not in theirs
    assert "# " in theirs
    assert state(twins.first.path) == state(twins.second.path)


@case
def order_of_lists(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    twins.write("config.yaml", "_config_version: 33\nplugins: {enabled: [z, a, a], disabled: []}\n")
    twins.run("enable", "one")
    assert sorted(twins.first.enabled) == ["a", "a", "one", "z"]
    assert [name for name in twins.first.enabled if name != "one"] == ["z", "a", "a"]
    assert twins.second.enabled == ["a", "one", "z"]


@case
def values_in_place_of_lists(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    twins.write("config.yaml", "plugins: text\n")
    ours, theirs = twins.run("disable", "one")
    assert (ours.exit_code, twins.first.config_path.read_text()) == (2, "plugins: text\n")
    assert f"{twins.first.config_path}:1:10: `plugins` is not a mapping but 'text'" in ours.output
    assert theirs.exit_code == 1
    assert "Traceback" in theirs.output
    twins.write("config.yaml", "plugins: {disabled: text}\n")
    ours, theirs = twins.run("disable", "one")
    assert (ours.exit_code, theirs.exit_code) == (2, 0)
    assert (twins.first.disabled, twins.second.disabled) == ([], ["one"])


@case
def backup(twins: Twins) -> None:
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    url = twins.repository("demo", {"plugin.yaml": "name: demo\n"})
    twins.run("install", url)
    home = twins.second.path
    hermes = [twins.real.python, "-P", "-m", "hermes_cli.main", "plugins", "install", url, "--force"]
    # Kill Hermes before it renames the directory of the new plugin.
    trace = ["strace", "-o", os.devnull, "-e", "inject=rename:signal=KILL:when=1"]
    done = subprocess.run([*trace, *hermes], env=twins.real.variables(home), capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (home / "plugins" / "demo").exists()
    # `test_faults.py` tests that our command always leaves the old or the new version.


@case
def leaving_the_screen(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    ours = Terminal.ours(twins.first.path)
    ours.wait_for("Esc cancel")
    program = [str(twins.real.python), "-P", "-m", "hermes_cli.main", "plugins"]
    theirs = Terminal(*program, **twins.real.variables(twins.second.path))
    theirs.wait_for("ESC done")
    for terminal in (ours, theirs):
        terminal.type("\x1b")
        assert terminal.end() == 0
    assert twins.first.config == {}
    assert len(twins.second.disabled) > 80


@case
def clean_up(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    twins.run("enable", "one")
    twins.run("remove", "one")
    assert state(twins.first.path) == state(twins.second.path)
    assert twins.first.enabled == ["one"]
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    twins.ours(twins.first.path, "remove", "one", "--clean")
    assert twins.first.config["plugins"] == {"enabled": [], "disabled": [], "entries": {}}


@case
def managed_home(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    for name in (".managed", "cron/x", "sessions/x", "logs/x", "memories/x"):
        twins.write(name, "")
    ours, theirs = twins.run("enable", "one")
    assert (ours.exit_code, theirs.exit_code) == (3, 0)
    assert "one enabled" in theirs.output
    assert twins.first.config == twins.second.config == {}
    ours, theirs = twins.run("remove", "one")
    assert (ours.exit_code, theirs.exit_code) == (3, 0)
    assert (twins.first.plugins_dir / "one").exists()
    assert not (twins.second.plugins_dir / "one").exists()


@case
def local_directory(twins: Twins) -> None:
    source = write(twins.folder / "source", {"plugin.yaml": "name: one\n", "__init__.py": ""})
    # Use a proxy that does not exist, so that no request leaves this machine.
    ours, theirs = twins.run("install", str(source), https_proxy="http://127.0.0.1:1")
    assert ours.exit_code == 0
    assert (twins.first.plugins_dir / "one" / "plugin.yaml").exists()
    assert theirs.exit_code == 1
    assert "https://github.com/" in theirs.output


@case
def link_out_of_the_plugin(twins: Twins) -> None:
    url = twins.repository("demo", {"plugin.yaml": "name: demo\n"})
    (twins.folder.parent / "repositories" / "demo" / "link").symlink_to("/etc/hostname")
    twins.repository("demo", {})
    ours, _ = twins.run("install", url)
    assert ours.exit_code == 2
    assert not (twins.first.plugins_dir / "demo").exists()
    assert (twins.second.plugins_dir / "demo" / "link").is_symlink()


@case
def control_characters(twins: Twins) -> None:
    url = twins.repository("demo", {"plugin.yaml": 'name: "de\\e[31mmo"\n'})
    ours, theirs = twins.run("install", url)
    assert ours.exit_code == 2
    assert "\x1b" not in ours.output
    assert "\x1b[31m" in theirs.output
    assert [path.name for path in twins.second.plugins_dir.iterdir()] == ["de\x1b[31mmo"]


@case
def linked_plugin(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    outside = write(twins.folder / "outside", {"plugin.yaml": "name: outside\n"})
    for home in (twins.first, twins.second):
        (home.plugins_dir / "link").symlink_to("one")
        (home.plugins_dir / "outside").symlink_to(outside)
    ours, theirs = twins.run("remove", "link")
    assert (ours.exit_code, theirs.exit_code) == (0, 0)
    assert [path.name for path in sorted(twins.first.plugins_dir.iterdir())] == ["one", "outside"]
    assert not (twins.second.plugins_dir / "one").exists()
    ours, theirs = twins.run("remove", "outside")
    assert (ours.exit_code, theirs.exit_code) == (0, 1)
    assert (outside / "plugin.yaml").exists()


@case
def plugin_of_a_subdirectory(twins: Twins) -> None:
    url = twins.repository("many", {"demo/plugin.yaml": "name: demo\n", "demo/__init__.py": ""})
    twins.run("install", f"{url}#demo")
    twins.repository("many", {"demo/new.py": ""})
    ours, theirs = twins.run("update", "demo")
    assert (ours.exit_code, theirs.exit_code) == (0, 1)
    assert (twins.first.plugins_dir / "demo" / "new.py").exists()
    assert not (twins.second.plugins_dir / "demo" / "new.py").exists()


@case
def bundled_in_list(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    ours, theirs = (done.output.splitlines() for done in twins.run("list", "--plain"))
    assert (len(ours), len(theirs)) == (1, 86)


@case
def directory_of_plugins(twins: Twins) -> None:
    twins.write("plugins/demo/other/plugin.yaml", "name: other\n")
    ours, theirs = twins.run("install", twins.repository("demo", {"plugin.yaml": "name: demo\n"}), "--force")
    assert (ours.exit_code, theirs.exit_code) == (2, 0)
    assert (twins.first.plugins_dir / "demo" / "other").exists()
    assert not (twins.second.plugins_dir / "demo" / "other").exists()


@case
def git_settings(twins: Twins) -> None:
    url = twins.repository("demo", {"plugin.yaml": "name: demo\n"})
    hook = write(twins.folder / "templates", {"hooks/post-checkout": f"#!/bin/sh\necho >> {twins.folder}/ran\n"})
    (hook / "hooks" / "post-checkout").chmod(0o755)
    settings = str(write(twins.folder, {"gitconfig": f"[init]\n\ttemplateDir = {hook}\n"}) / "gitconfig")
    twins.ours(twins.first.path, "install", url, GIT_CONFIG_GLOBAL=settings)
    assert not (twins.folder / "ran").exists()
    twins.real(twins.second.path, "install", url, GIT_CONFIG_GLOBAL=settings)
    assert (twins.folder / "ran").exists()


@case
def git_of_a_plugin(twins: Twins) -> None:
    url = twins.repository("demo", {"plugin.yaml": "name: demo\n"})
    twins.run("install", url)
    ran = twins.folder / "ran"
    for home in (twins.first, twins.second):
        hook = home.plugins_dir / "demo" / ".git" / "hooks" / "post-merge"
        write(hook.parent, {hook.name: f"#!/bin/sh\necho >> {ran}\n"})
        hook.chmod(0o755)
    twins.repository("demo", {"more.py": ""})
    assert twins.ours(twins.first.path, "update", "demo").exit_code == 0
    assert not ran.exists()
    twins.real(twins.second.path, "update", "demo")
    assert ran.exists()


@case
def hidden_names(twins: Twins) -> None:
    for name in (".git", "demo", "Demo"):
        twins.run(
            "install", twins.repository(f"as-{name.strip('.')}-{name.islower()}", {"plugin.yaml": f"name: {name}\n"})
        )
    installed = [sorted(path.name for path in home.plugins_dir.iterdir()) for home in (twins.first, twins.second)]
    assert installed == [["demo"], [".git", "Demo", "demo"]]
    assert twins.ours(twins.second.path, "remove", ".git").exit_code == 0


@case
def piped_consent(twins: Twins) -> None:
    twins.write("plugins/one/plugin.yaml", "name: one\n")
    twins.run("enable", "one", stdin="y\n")
    granted = [home.config["plugins"]["entries"]["one"] for home in (twins.first, twins.second)]
    assert granted == [{"allow_tool_override": False}, {"allow_tool_override": True}]


@case
def mode_of_env(twins: Twins) -> None:
    twins.write(".env", "A=1\n")
    url = twins.repository("demo", {"plugin.yaml": "name: demo\nrequires_env: [B]\n"})
    for home in (twins.first, twins.second):
        home.env_path.chmod(0o644)
    twins.run("install", url, stdin="2\n")
    modes = [stat.S_IMODE(home.env_path.stat().st_mode) for home in (twins.first, twins.second)]
    assert modes == [0o600, 0o644]
    assert twins.first.env == twins.second.env == {"A": "1", "B": "2"}


@case
def bundled_texts(twins: Twins) -> None:
    ours, theirs = (json.loads(done.output) for done in twins.run("list", "--json"))
    assert {plugin["version"] + plugin["description"] for plugin in ours["plugins"]} == {""}
    assert all(plugin["description"] for plugin in theirs)


@case
def json_shape(twins: Twins) -> None:
    ours, theirs = (json.loads(done.output) for done in twins.run("list", "--json"))
    assert ours.keys() == {"schema", "home", "plugins", "broken_links"}
    assert isinstance(theirs, list)
    assert ours["plugins"][0].keys() - theirs[0].keys() == {"key", "directory", "link"}


@case
def exit_codes(twins: Twins) -> None:
    ours, theirs = twins.run("install", "word")
    assert (ours.exit_code, theirs.exit_code) == (2, 1)
    ours, theirs = twins.run("install", "file:///missing.git")
    assert (ours.exit_code, theirs.exit_code) == (3, 1)


@case
def directories_of_plugins(twins: Twins) -> None:
    url = twins.repository("many", {"style/plugin.yaml": "name: elements\n", "style/__init__.py": ""})
    twins.run("install", url, "--enable")
    assert twins.first.enabled == ["many/style"]
    assert twins.second.enabled == ["many"]


@case
def required_variables_as_text(twins: Twins) -> None:
    url = twins.repository("demo", {"plugin.yaml": "name: demo\nrequires_env: AB\n"})
    ours, theirs = twins.run("install", url, stdin="1\n2\n")
    assert (ours.exit_code, theirs.exit_code) == (0, 0)
    assert (twins.first.env, twins.second.env) == ({}, {"A": "1", "B": "2"})
