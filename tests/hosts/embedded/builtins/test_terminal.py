"""Commands in the embedded host: what no case of `tests/conformance` covers."""

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


def test_what_a_command_leaves_in_the_background_does_not_hold_it_up(tmp_path) -> None:
    began = time.monotonic()
    finished = Shell().run("(sleep 30; echo late) & echo early", str(tmp_path), 20, 1000)
    assert (finished.output, finished.status) == ("early\n", 0)
    assert time.monotonic() - began < 10


def test_a_killed_command_leaves_nothing_behind(tmp_path) -> None:
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    finished = Shell().run("sleep 30 9>held & wait", str(tmp_path), 0.2, 1000)
    assert finished.status == 124
    # The other end is closed once nobody holds it.
    assert select.select([held], [], [], 10)[0]
    assert os.read(held, 1) == b""
    os.close(held)


def test_variables_with_any_content_reach_the_next_command(tmp_path) -> None:
    shell = Shell()
    shell.run("export ODD=$'a\\nb=\\'c\\' \\xff'", str(tmp_path), 10, 1000)
    assert shell.run('printf %s "$ODD" | od -An -tx1', str(tmp_path), 10, 1000).output.split() == [
        *("61", "0a", "62", "3d", "27", "63", "27", "20", "ff")
    ]


@pytest.mark.parametrize("most", [1, 30, 100, 1000])
def test_cut_output_keeps_its_end_and_its_suffix(most: int) -> None:
    cut = truncate("".join(map(str, range(2000))), most, "[end]")
    assert len(cut) <= most
    assert cut.endswith("[end]"[-most:])


def test_a_command_in_the_background_is_not_modelled(start: Start) -> None:
    with pytest.raises(HermesSdkError, match="background"):
        start().call_tool("terminal", command="echo", background=True)


def test_a_new_discovery_keeps_the_shell(start: Start) -> None:
    host = start()
    host.call_tool("terminal", command="cd /usr")
    host.rescan()
    assert json.loads(host.call_tool("terminal", command="pwd").text)["output"] == "/usr"


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "sudo rm -fr '/'", "true; rm -r /etc", "rm -rf $HOME", "mkfs.ext4 x", "reboot", "dd of=/dev/sda"],
)
def test_some_commands_never_run(command: str) -> None:
    assert find_forbidden(command)


@pytest.mark.parametrize("command", ["rm -rf /tmp/x", "echo reboot", "ls / # rm", "git commit -m 'rm -rf /'", "rm x"])
def test_most_commands_are_not_blocked(command: str) -> None:
    assert find_forbidden(command) is None


def test_a_name_that_only_looks_dangerous_needs_no_approval() -> None:
    assert [find_dangerous(command) for command in ("rm x", "git reset --soft x", "curl x > y.sh", "ls -la")] == [
        None
    ] * 4


def test_a_command_sees_what_a_plugin_set_meanwhile(tmp_path, monkeypatch) -> None:
    shell = Shell()
    shell.run("export MINE=1", str(tmp_path), 10, 1000)
    monkeypatch.setenv("SET_LATER", "2")
    assert shell.run('printf %s "$MINE$SET_LATER"', str(tmp_path), 10, 1000).output == "12"
