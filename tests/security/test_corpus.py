"""Hostile plugins under each command that runs plugins: what comes of them, and what they leave."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from security.corpus import ATTACKS, Attack

from hermes_sdk.hosts.processes import isolation, process

_numbers = itertools.count()

COMMANDS = {
    "check": ["check", "--format=json"],
    "show": ["show", "--json"],
    "trace": ["trace", "--json"],
    "compat": ["compat", "--json", "--only=embedded:0.19.0"],
}


@pytest.fixture(scope="session", autouse=True)
def _isolated() -> None:
    missing = set(isolation.FULL) - set(process.find_layers())
    if missing:
        pytest.skip(f"this machine has no {', '.join(sorted(missing))}")


Environment = dict[str, str]
Done = tuple[int, str, str]
Command = Callable[[list[str], Environment], Done]
"""Runs a command, and returns its exit code, output and errors."""


def start(argv: list[str], environment: Environment) -> Done:
    """Run a command in a process of its own."""
    code = "from hermes_sdk.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        env={**os.environ, **environment, "SECRET": "as it was"},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def ask() -> Iterator[Command]:
    """Run a command in a process that runs those of other tests, too."""
    with subprocess.Popen(
        [sys.executable, Path(__file__).with_name("commands.py")],
        env={**os.environ, "SECRET": "as it was"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:

        def asked(argv: list[str], environment: Environment) -> Done:
            process.stdin.write(json.dumps([argv, environment]).encode() + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield asked


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A home with what must stay as it is."""
    home = tmp_path / "victim"
    for name in (".ssh/id_ed25519", "notes", "repository/.git/config"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("as it was\n", encoding="utf-8")
    return home


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[dict[str, object]]:
    """What plugins may try to reach, and the names of it."""
    # A time to sleep that no other test has.
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
    """What is in a folder, with contents, permissions, times, owners and attributes."""
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


def started(name: str) -> list[str]:
    """The processes that a daemon of the corpus would be."""
    command = f"sleep\0{name}\0".encode()
    return [process.name for process in Path("/proc").glob("[0-9]*") if read(process / "cmdline") == command]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def attack(attack: Attack, command: str, run: Command, tmp_path: Path, victim: Path, servers: dict[str, object]) -> str:
    """Run a command on a hostile plugin, assert that it left nothing, and return what came of it."""
    plugin, temporary = tmp_path / "plugin", tmp_path / "tmp"
    for folder in (plugin, temporary):
        folder.mkdir()
    (plugin / "plugin.yaml").write_text("name: hostile\nversion: '1.0'\nkind: standalone\n", encoding="utf-8")
    source = attack.source(VICTIM=str(victim), **servers)
    (plugin / "__init__.py").write_text(source, encoding="utf-8")
    (plugin / "link").symlink_to(victim / ".ssh" / "id_ed25519")
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(json.dumps({"plugins": ["plugin"], "turns": ["/a"]}), encoding="utf-8")
    before = identify(victim), identify(plugin)
    code, output, errors = run(
        [*COMMANDS[command], str(scenario if command == "trace" else plugin)],
        {"HOME": str(victim), "TMPDIR": str(temporary)},
    )
    assert (identify(victim), identify(plugin)) == before
    assert list(temporary.iterdir()) == []
    name = str(servers["NAME"])
    assert started(name) == []
    assert not Path("/dev/shm", name).exists()
    assert "hermes_sdk/cli" not in errors, errors
    assert len(output) < 10_000_000
    assert code in (0, 1, 2), errors
    return "through" if "WENT THROUGH" in output + errors else judge(command, output)


def judge(command: str, output: str) -> str:
    if command == "compat":
        return "kept" if all(cell["loads"] for cell in json.loads(output)["releases"]) else "ended"
    if command == "check":
        return "ended" if '"HS2' in output else "kept"
    return "kept" if '"kept"' in output else "ended"


def name(one: object) -> str:
    return one.name if isinstance(one, Attack) else str(one)


@pytest.mark.parametrize("hostile", [one for one in ATTACKS if not one.takes_long], ids=name)
def test_a_hostile_plugin_is_shown(hostile, ask, tmp_path, victim, servers):
    assert attack(hostile, "show", ask, tmp_path, victim, servers) == hostile.expected


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("hostile", ATTACKS, ids=name)
def test_a_hostile_plugin_under_each_command(hostile, command, tmp_path, victim, servers):
    assert attack(hostile, command, start, tmp_path, victim, servers) == hostile.expected


def test_every_layer_is_tried():
    assert {*isolation.FULL, "time", "parent"} - {one.by for one in ATTACKS} <= {"env", "tmp", "ipcns"}
