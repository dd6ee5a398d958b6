"""Hostile plugins with each command that runs plugins: outcomes and leftovers."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from security.corpus import ATTACKS, Attack
from thinning import thin_out

from hermes_sdk import contract
from hermes_sdk.cli.code_runs import PLUGIN
from hermes_sdk.cli.program import group
from hermes_sdk.hosts.processes import isolation, process
from hermes_sdk.traces import Trace, write_recording

_numbers = itertools.count()

MANIFEST = """\
name: hostile
version: '1.0'
description: Tries one thing.
kind: standalone
"""
SCENARIO = {"plugins": ["plugin"], "turns": ["/kept"]}
COMMANDS = {
    "call": "call kept --json --plugin plugin",
    "chat": "chat /kept --json --plugin plugin",
    "check": "check --format=json plugin",
    "check --upstream": "check --format=json --upstream --release=0.22.2 plugin",
    "compat": "compat --json --only=embedded:0.19.0 plugin",
    "dev": "dev --port=0 --no-browser plugin",
    "fire": "fire on_session_start --json --plugin plugin",
    "record": "record --scenario scenario.yaml -o made.trace",
    "record --http": "record --http --scenario scenario.yaml -o made.trace",
    "replay": "replay --json replayed.trace",
    "show": "show --json plugin",
    "show --host real": "show --json --host real --release 0.22.2 plugin",
    "submit": "submit --json plugin",
    "trace": "trace --json scenario.yaml",
    "verify": "verify --json plugin",
}
"""Commands that load a plugin, for a directory written by `write_project`."""

ENDED = {"HS201", "HS202"}
"""Rules of `check` for plugins that do not load."""

WITH_HERMES = {"check --upstream", "show --host real", "submit"}
"""Commands that run an installed Hermes."""

TYPICAL = {"read ~/.ssh through a link", "write to the home", "connect to a server of the machine", "os._exit"}


@pytest.fixture(scope="session", autouse=True)
def require_isolation() -> None:
    missing = set(isolation.FULL) - set(process.find_layers())
    if missing:
        pytest.skip(f"this machine has no {', '.join(sorted(missing))}")


Environment = dict[str, str]
Done = tuple[int, str, str]
Command = Callable[[list[str], Environment, Path], Done]
"""Function that runs a command in a directory, and returns its exit code, stdout and stderr."""


def start(argv: list[str], environment: Environment, folder: Path) -> Done:
    """Run a command in a new process; stop the inspector as soon as it serves."""
    code = "from hermes_sdk.cli.main import run; run()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *argv],
        cwd=folder,
        env={**os.environ, **environment, "SECRET": "as it was"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        served = ""
        if argv[0] == "dev":
            assert running.stdout is not None
            served = running.stdout.readline()
            running.stdout.readline()
            running.terminate()
        output, errors = running.communicate(timeout=150)
    return (0 if served else running.returncode), served + output, errors


@pytest.fixture(scope="module")
def ask() -> Iterator[Command]:
    """Yield a function that runs a command in one process for all tests."""
    with subprocess.Popen(
        [sys.executable, Path(__file__).with_name("commands.py")],
        env={**os.environ, "SECRET": "as it was"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:

        def ask_command(argv: list[str], environment: Environment, folder: Path) -> Done:
            process.stdin.write(json.dumps([argv, environment, str(folder)]).encode() + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield ask_command


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Create a home with files that must not change."""
    home = tmp_path / "victim"
    for name in (".ssh/id_ed25519", "notes", "repository/.git/config"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("as it was\n", encoding="utf-8")
    return home


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[dict[str, object]]:
    """Yield the names of servers and processes that plugins may try to reach."""
    # A duration for `sleep` that no other test uses.
    name = f"{os.getpid()}{next(_numbers)}"
    with (
        socket.create_server(("127.0.0.1", 0)) as loopback,
        socket.socket(socket.AF_UNIX) as in_files,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        in_files.bind(str(tmp_path / "server.sock"))
        abstract.bind(f"\0{name}")
        for one in (in_files, abstract):
            one.listen()
        yield {"SERVERS": str(tmp_path), "PORT": loopback.getsockname()[1], "NAME": name, "TEST": os.getpid()}


def identify(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return the content of a folder, with permissions, times, owners and attributes."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        facts = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (
            content,
            facts.st_mode,
            facts.st_mtime_ns,
            facts.st_uid,
            *os.listxattr(path),
            facts.st_nlink,
        )
    return found


def find_daemons(name: str) -> list[str]:
    """Return the processes of attacks that start a daemon."""
    command = f"sleep\0{name}\0".encode()
    return [process.name for process in Path("/proc").glob("[0-9]*") if read(process / "cmdline") == command]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def write_project(folder: Path, source: str, secret: Path) -> None:
    """Create a committed plugin with a link to a secret, a scenario that uses it, and a recording."""
    plugin = folder / "plugin"
    plugin.mkdir()
    (plugin / "plugin.yaml").write_text(MANIFEST, encoding="utf-8")
    (plugin / "__init__.py").write_text(source, encoding="utf-8")
    if "link" in source:
        (plugin / "link").symlink_to(secret)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null"]
    for line in ("init -q", "remote add origin https://example.org/hostile.git", "add .", "commit -q -m Add"):
        subprocess.run([*git, *line.split()], cwd=plugin, check=True)
    (folder / "scenario.yaml").write_text(json.dumps(SCENARIO), encoding="utf-8")
    recorded = Trace("embedded", contract.DEFAULT, "scenario.yaml", (), recording=SCENARIO, normalised=True)
    write_recording(recorded, folder / "replayed.trace")


def attack(attack: Attack, command: str, run: Command, tmp_path: Path, victim: Path, servers: dict[str, object]) -> str:
    """Run a command on a hostile plugin, assert that it left nothing, and return the outcome."""
    folder, temporary = tmp_path / "project", tmp_path / "tmp"
    for one in (folder, temporary):
        one.mkdir()
    write_project(folder, attack.source(VICTIM=str(victim), **servers), victim / ".ssh" / "id_ed25519")
    before = identify(victim), identify(folder / "plugin")
    code, output, errors = run(COMMANDS[command].split(), {"HOME": str(victim), "TMPDIR": str(temporary)}, folder)
    assert (identify(victim), identify(folder / "plugin")) == before
    assert list(temporary.iterdir()) == []
    name = str(servers["NAME"])
    assert find_daemons(name) == []
    assert not Path("/dev/shm", name).exists()
    assert "hermes_sdk/cli" not in errors, errors
    output += read(folder / "made.trace").decode()
    assert len(output) < 10_000_000
    assert code in (0, 1, 2), errors
    return "through" if "WENT THROUGH" in output + errors else judge(command, output)


def judge(command: str, output: str) -> str:
    """Return ``kept`` if the output of a command shows that the plugin was loaded, otherwise ``ended``."""
    if command == "compat":
        return "kept" if all(cell["loads"] for cell in json.loads(output)["releases"]) else "ended"
    if command.startswith("check"):
        findings = json.loads(output)["findings"]
        return "ended" if any(one["code"] in ENDED for one in findings) else "kept"
    markers = {
        "dev": "1 command",
        "replay": "register register_tool",
        "submit": '"problem": ""',
        "verify": '"name": "load",\n   "state": "passed"',
    }
    return "kept" if markers.get(command, '"kept"') in output else "ended"


def expect(hostile: Attack, command: str) -> str:
    """Return the expected outcome of an attack; with `--http`, plugins may use the network."""
    if command == "record --http" and hostile.name == "reach the internet":
        pytest.skip("the outcome depends on the network of the machine")
    reached = command == "record --http" and hostile.name == "connect to a server of the machine"
    return "through" if reached else hostile.expected


def name_parameter(one: object) -> str:
    return one.name if isinstance(one, Attack) else str(one)


@pytest.mark.parametrize("hostile", [one for one in ATTACKS if not one.takes_long], ids=name_parameter)
def test_hostile_plugin_has_expected_outcome_when_shown(hostile, ask, tmp_path, victim, servers):
    assert attack(hostile, "show", ask, tmp_path, victim, servers) == hostile.expected


@pytest.fixture
def command(request: pytest.FixtureRequest) -> str:
    """Return the command of the test, after installing the Hermes that it needs."""
    if request.param in WITH_HERMES:
        request.getfixturevalue("real_python")("0.22.2")
    return str(request.param)


@pytest.mark.parametrize(
    ("command", "hostile"),
    thin_out([*COMMANDS], [one for one in ATTACKS if one.name in TYPICAL]),
    indirect=["command"],
    ids=name_parameter,
)
def test_command_stops_typical_attack(hostile, command, tmp_path, victim, servers):
    assert attack(hostile, command, start, tmp_path, victim, servers) == expect(hostile, command)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, indirect=True)
@pytest.mark.parametrize("hostile", [one for one in ATTACKS if one.name not in TYPICAL], ids=name_parameter)
def test_command_stops_attack(hostile, command, tmp_path, victim, servers):
    assert attack(hostile, command, start, tmp_path, victim, servers) == expect(hostile, command)


def test_each_command_that_loads_a_plugin_is_attacked():
    context = click.Context(group)
    declared = {
        one for one in group.list_commands(context) if PLUGIN in getattr(group.get_command(context, one), "runs", ())
    }
    assert {line.split()[0] for line in COMMANDS.values()} == declared


def test_each_layer_stops_an_attack():
    assert {*isolation.FULL, "time", "parent"} - {one.by for one in ATTACKS} <= {"env", "tmp", "ipcns"}
