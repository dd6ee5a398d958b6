"""Commands that are killed leave no process and no temporary directory."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from thinning import every_third, thin_out

from hermes_sdk.compat.cells import Cell, Job
from hermes_sdk.hosts.processes.process import child_environment, python_command
from hermes_sdk.journal import scratch_directory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")

COMMANDS = ["check", "show", "trace", "compat", "call", "chat", "fire", "verify"]
SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]
PROGRAM = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL); from hermes_sdk.cli.main import run; run()"
"""Program that runs a command with the default action of SIGHUP, which is ignored if the tests run under nohup."""
PATIENCE = 20.0


@pytest.fixture
def sleeper() -> str:
    """Return a duration for `sleep` that identifies the process of this test."""
    return f"{os.getpid()}.{time.monotonic_ns()}"


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def find_processes(text: str) -> list[int]:
    found = []
    # `glob` with a second part would open the directories of processes, and raise if one ends.
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (process / "cmdline").read_bytes() and int(process.name) != os.getpid():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def make_project(directory: Path, sleeper: str) -> Path:
    """Create a plugin that never finishes loading, and a scenario for it."""
    # A directory that contains the home is never used as a project.
    project = directory / "project"
    plugin = project / "plugin"
    plugin.mkdir(parents=True)
    (plugin / "plugin.yaml").write_text("name: example\nkind: standalone\n", encoding="utf-8")
    source = f"import subprocess\nsubprocess.run(['sleep', {sleeper!r}], start_new_session=True)\n"
    (plugin / "__init__.py").write_text(source, encoding="utf-8")
    scenario = project / "scenario.yaml"
    scenario.write_text(json.dumps({"plugins": ["plugin"], "turns": ["/a"]}), encoding="utf-8")
    return plugin


def arguments(command: str, plugin: Path) -> list[str]:
    scenario, recording = (plugin.with_name(name) for name in ("scenario.yaml", "recorded.trace"))
    given = {
        "call": ["anything", "--plugin", str(plugin)],
        "chat": ["hello", "--plugin", str(plugin)],
        "dev": ["--no-browser", "--port", "0", str(plugin)],
        "fire": ["on_session_start", "--plugin", str(plugin)],
        "record": ["--scenario", str(scenario), "-o", str(recording)],
        "replay": [str(recording)],
        "trace": [str(scenario)],
    }
    return [command, *given.get(command, [str(plugin)])]


def start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.parametrize(("command", "number"), thin_out(COMMANDS, SIGNALS))
def test_killed_command_leaves_no_processes_or_files(command, number, tmp_path, sleeper):
    temporary, plugin = tmp_path / "tmp", make_project(tmp_path, sleeper)
    temporary.mkdir()
    with start(arguments(command, plugin), {"TMPDIR": str(temporary)}) as process:
        wait_until(lambda: find_processes(f"sleep\0{sleeper}"))
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in errors
    assert process.returncode in (-number, 128 + number)
    wait_until(lambda: not find_processes(f"sleep\0{sleeper}"))
    wait_until(lambda: not find_processes(str(temporary)))
    wait_until(lambda: not list(temporary.iterdir()))


@pytest.mark.parametrize("command", every_third([*COMMANDS, "dev", "record", "replay"]))
def test_next_command_removes_leftovers_of_killed_command(command, tmp_path, sleeper):
    temporary, plugin = tmp_path / "tmp", make_project(tmp_path, sleeper)
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary), "HERMES_SDK_CACHE": str(tmp_path / "cache")}

    def scratch() -> set[str]:
        return {one.name for one in temporary.glob("hermes-*")}

    def run(*command: str) -> None:
        subprocess.run(
            [sys.executable, "-c", PROGRAM, *command],
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
        )

    if command == "replay":
        hanging = (plugin / "__init__.py").read_text()
        (plugin / "__init__.py").write_text("def register(ctx): ctx.register_command('a', lambda text: text)\n")
        run(*arguments("record", plugin))
        (plugin / "__init__.py").write_text(hanging)
    with start(arguments("show", plugin), environment) as other:
        wait_until(lambda: find_processes(f"sleep\0{sleeper}"))
        of_other = scratch()
        with start(arguments(command, plugin), environment) as process:
            # Kill the command before the plugin's process isolates itself: until then, only the command can clean up.
            wait_until(lambda: scratch() > of_other)
            process.kill()
        run("explain", "HS101")
        assert scratch() == of_other
        assert find_processes(f"sleep\0{sleeper}")
        other.kill()
    run("explain", "HS101")
    wait_until(lambda: not list(temporary.iterdir()))


def test_temporary_directory_with_locked_files_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    with scratch_directory() as made:
        (made / "locked" / "inner").mkdir(parents=True)
        (made / "locked" / "link").symlink_to(tmp_path)
        (made / "locked").chmod(0)
        assert list((tmp_path / "cache" / "journal").iterdir())
    assert not made.exists()
    assert tmp_path.stat().st_mode & 0o777
    assert not list((tmp_path / "cache" / "journal").iterdir())


def test_runner_starts_no_plugin_when_its_command_has_ended(tmp_path):
    plugin, scratch = tmp_path / "plugin", tmp_path / "scratch"
    plugin.mkdir()
    scratch.mkdir()
    (plugin / "plugin.yaml").write_text("name: example\nkind: standalone\n", encoding="utf-8")
    (plugin / "__init__.py").write_text("import time\ntime.sleep(1000)\n", encoding="utf-8")
    ours, theirs = socket.socketpair()
    with theirs:
        job = Job(str(plugin), str(plugin), Cell("embedded", "0.19.0", "3.11"), PATIENCE * 10)
        ours.sendall(json.dumps(job).encode() + b"\n")
        ours.close()
        process = subprocess.Popen(
            [*python_command("hermes_sdk.compat.runner"), str(theirs.fileno())],
            env=child_environment(scratch, scratch),
            cwd=scratch,
            pass_fds=[theirs.fileno()],
        )
    assert process.wait(PATIENCE) == 1
    assert not scratch.exists()
