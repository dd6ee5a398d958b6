"""Terminal commands of the embedded host: behaviour that no case of `tests/conformance` covers."""

from __future__ import annotations

import json
import os
import select
import time

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.command_approval import find_dangerous, find_forbidden
from hermes_sdk.hosts.embedded.builtins.shell_session import Shell, truncate


def test_background_process_does_not_delay_command(tmp_path) -> None:
    began = time.monotonic()
    finished = Shell().run("(sleep 30; echo late) & echo early", str(tmp_path), 20, 1000)
    assert (finished.output, finished.status) == ("early\n", 0)
    assert time.monotonic() - began < 10


def test_child_processes_of_killed_command_are_killed(tmp_path) -> None:
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    finished = Shell().run("sleep 30 9>held & wait", str(tmp_path), 0.2, 1000)
    assert finished.status == 124
    # The pipe is readable once all processes have closed the other end.
    assert select.select([held], [], [], 10)[0]
    assert os.read(held, 1) == b""
    os.close(held)


def test_variables_are_passed_to_next_command(tmp_path) -> None:
    shell = Shell()
    shell.run("export ODD=$'a\\nb=\\'c\\' \\xff'", str(tmp_path), 10, 1000)
    assert shell.run('printf %s "$ODD" | od -An -tx1', str(tmp_path), 10, 1000).output.split() == [
        *("61", "0a", "62", "3d", "27", "63", "27", "20", "ff")
    ]


@pytest.mark.parametrize("most", [1, 30, 100, 1000])
def test_truncated_output_keeps_end_and_suffix(most: int) -> None:
    cut = truncate("".join(map(str, range(2000))), most, "[end]")
    assert len(cut) <= most
    assert cut.endswith("[end]"[-most:])


def test_background_command_is_not_supported(start: Start) -> None:
    with pytest.raises(HermesSdkError, match="background"):
        start().call_tool("terminal", command="echo", background=True)


def test_rescan_keeps_working_directory_of_shell(start: Start) -> None:
    host = start()
    host.call_tool("terminal", command="cd /usr")
    host.rescan()
    assert json.loads(host.call_tool("terminal", command="pwd").text)["output"] == "/usr"


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "sudo rm -fr '/'", "true; rm -r /etc", "rm -rf $HOME", "mkfs.ext4 x", "reboot", "dd of=/dev/sda"],
)
def test_dangerous_commands_are_blocked(command: str) -> None:
    assert find_forbidden(command)


@pytest.mark.parametrize("command", ["rm -rf /tmp/x", "echo reboot", "ls / # rm", "git commit -m 'rm -rf /'", "rm x"])
def test_other_commands_are_not_blocked(command: str) -> None:
    assert find_forbidden(command) is None


def test_harmless_command_needs_no_approval() -> None:
    assert [find_dangerous(command) for command in ("rm x", "git reset --soft x", "curl x > y.sh", "ls -la")] == [
        None
    ] * 4


def test_command_sees_variables_set_by_plugin(tmp_path, monkeypatch) -> None:
    shell = Shell()
    shell.run("export MINE=1", str(tmp_path), 10, 1000)
    monkeypatch.setenv("SET_LATER", "2")
    assert shell.run('printf %s "$MINE$SET_LATER"', str(tmp_path), 10, 1000).output == "12"
